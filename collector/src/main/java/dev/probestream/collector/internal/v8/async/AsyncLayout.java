package dev.probestream.collector.internal.v8.async;

import dev.probestream.collector.internal.program.layout.AsyncCallerLayout;

/**
 * Where one build of V8 keeps what leads from a running thread to its async callers.
 *
 * @param isolate how a thread's isolate is found
 * @param callers the rest; its {@code isolate} and {@code threadPointer} are 0
 */
public record AsyncLayout(IsolatePlace isolate, AsyncCallerLayout callers) {
    /**
     * Where the address of a thread's isolate is: of one of two ways, the other is 0.
     *
     * @param threadPointerOffset since V8 11: of the thread-local variable g_current_isolate_, from the thread pointer
     * @param keyAddress V8 10: virtual address of the int Isolate::isolate_key_, a key of pthread_getspecific
     */
    public record IsolatePlace(long threadPointerOffset, long keyAddress) {
        /**
         * glibc keeps the values of a thread's first keys in its struct pthread, to which the thread pointer points:
         * specific_1stblock, of struct pthread_key_data (16 bytes: a sequence number, then the value). Nothing tells its
         * place but the code of pthread_getspecific; it is the same in glibc 2.17 to 2.41 for x86-64.
         */
        private static final int FIRST_KEYS_OFFSET = 0x310;

        private static final int KEY_BYTES = 16;
        private static final int VALUE_OFFSET = 8;
        /** PTHREAD_KEY_2NDLEVEL_SIZE: further keys are elsewhere. */
        private static final int FIRST_KEYS = 32;

        public boolean isKey() {
            return keyAddress != 0;
        }

        /**
         * {@return what is to be added to the thread pointer; 0 for a key whose value cannot be found}
         *
         * @param key what the process has at {@link #keyAddress}, of no meaning without such an address
         */
        public long offset(int key) {
            if (!isKey()) {
                return threadPointerOffset;
            }
            return key >= 0 && key < FIRST_KEYS ? FIRST_KEYS_OFFSET + (long) key * KEY_BYTES + VALUE_OFFSET : 0;
        }
    }

    /**
     * {@return what the program in the kernel needs for one process; {@link AsyncCallerLayout#NONE} where the isolate cannot
     * be found}
     *
     * @param key see {@link IsolatePlace#offset}
     * @param threadPointer see {@link AsyncCallerLayout}
     */
    public AsyncCallerLayout inProcess(int key, int threadPointer) {
        long offset = isolate.offset(key);
        return offset == 0 ? AsyncCallerLayout.NONE : callers.inProcess(offset, threadPointer);
    }
}
