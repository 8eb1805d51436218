package dev.probestream.collector.internal.resolve.code;

/**
 * Recognises what nearly every function of a Go program begins with in x86-64 code (stacksplit in Go's
 * cmd/internal/obj/x86/obj6.go): is the goroutine's stack large enough? If not it is made larger, and the function begins
 * once more, from its first instruction. A probe there would see the call twice.
 *
 * <pre>
 *   since Go 1.17, the goroutine in r14:
 *     [lea -frame(%rsp),%r12]                       4c 8d 64 24 disp8, or 4c 8d a4 24 disp32
 *     or [mov %rsp,%r12, sub $frame,%r12, jb]       49 89 e4, 49 81 ec imm32, 72 rel8 or 0f 82 rel32
 *     cmp 16|24(%r14),%rsp, or %r12                 49 3b 66 disp8, 4d 3b 66 disp8
 *   before, the goroutine in thread-local memory:
 *     mov %fs:-8,%rcx                               64 48 8b 0c 25 f8 ff ff ff
 *     [lea -frame(%rsp),%rax]                       48 8d 44 24 disp8, or 48 8d 84 24 disp32
 *     cmp 16|24(%rcx),%rsp, or %rax                 48 3b 61 disp8, 48 3b 41 disp8
 *   then jbe                                        76 rel8, or 0f 86 rel32
 * </pre>
 *
 * Behind it every argument and the stack pointer are as they were: rax and rcx pass arguments only since Go 1.17. Frames
 * above 4 KiB have another check before Go 1.17, which is not recognised.
 */
final class GoStackCheck {
    private static final int[] GOROUTINE_TO_RCX = {0x64, 0x48, 0x8b, 0x0c, 0x25, 0xf8, 0xff, 0xff, 0xff};

    private GoStackCheck() {}

    /** Where the function goes on, or {@code start} when the code is anything else. */
    static int end(byte[] code, int start) {
        int end = startsWith(code, start, GOROUTINE_TO_RCX)
                ? comparisonEnd(code, start + GOROUTINE_TO_RCX.length, 0x48, 0x44, 0x48, 0x41, 0x61)
                : comparisonEnd(code, start, 0x4c, 0x64, 0x4d, 0x66, 0x66);
        int goesOn = end < 0 ? end : jumpEnd(code, end, 0x76);
        return goesOn < 0 ? start : goesOn;
    }

    /**
     * Behind the comparison of the limit with the stack pointer, or with where the frame would end; -1 = it is none.
     *
     * @param leaRex prefix of the instruction that computes where the frame would end, {@code lea} its operands
     * @param compareRex prefix of the comparison with that, {@code compare} its operands; {@code compareStack} those
     *     of the comparison with the stack pointer
     */
    private static int comparisonEnd(
            byte[] code, int start, int leaRex, int lea, int compareRex, int compare, int compareStack) {
        int frame = frameEnd(code, start, leaRex, lea);
        boolean isComparison = frame > start
                ? startsWith(code, frame, compareRex, 0x3b, compare)
                : startsWith(code, frame, leaRex == 0x48 ? 0x48 : 0x49, 0x3b, compareStack);
        return isComparison ? frame + 4 : -1;
    }

    /** Behind what computes where the frame would end; {@code start} if nothing does. */
    private static int frameEnd(byte[] code, int start, int rex, int operands) {
        if (startsWith(code, start, rex, 0x8d, operands, 0x24)) {
            return start + 5;
        }
        if (startsWith(code, start, rex, 0x8d, operands + 0x40, 0x24)) {
            return start + 8;
        }
        if (startsWith(code, start, 0x49, 0x89, 0xe4, 0x49, 0x81, 0xec)) {
            return Math.max(start, jumpEnd(code, start + 10, 0x72));
        }
        return start;
    }

    /** Behind the jump with this opcode, or the same with a distance of 32 bits; -1 = it is none. */
    private static int jumpEnd(byte[] code, int start, int opcode) {
        if (startsWith(code, start, opcode)) {
            return start + 2;
        }
        return startsWith(code, start, 0x0f, opcode + 0x10) ? start + 6 : -1;
    }

    private static boolean startsWith(byte[] code, int start, int... expected) {
        for (int i = 0; i < expected.length; i++) {
            if (start + i >= code.length || (code[start + i] & 0xff) != expected[i]) {
                return false;
            }
        }
        return true;
    }
}
