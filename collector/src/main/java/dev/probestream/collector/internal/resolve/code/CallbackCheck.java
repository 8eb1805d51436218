package dev.probestream.collector.internal.resolve.code;

/**
 * Recognises what a function begins with in x86-64 code that only calls a callback if there is one (llhttp's):
 *
 * <pre>
 *   mov disp8(%rdi),%rax or %rcx        48 8b 47|4f disp8       (Intel SDM, MOV)
 *   [xor %eax,%eax]                     31 c0                   (XOR)
 *   test %rax,%rax or %rcx,%rcx         48 85 c0|c9             (TEST)
 *   je rel8                             74 rel8                 (Jcc)
 * </pre>
 *
 * There is no push that a probe could sit on, but the kernel emulates the jump just as well. Up to there only rax, which
 * passes no argument, and rcx, which passes the fourth, are lost; the stack pointer is that of the entry.
 */
final class CallbackCheck {
    private static final int TO_RAX = 0x47;
    private static final int TO_RCX = 0x4f;
    private static final int RAX_RAX = 0xc0;
    private static final int RCX_RCX = 0xc9;

    private CallbackCheck() {}

    /**
     * Where the jump begins, or {@code start} when the code is anything else.
     *
     * @param needsRcx whether the fourth argument must still be there
     */
    static int end(byte[] code, int start, boolean needsRcx) {
        int target = EntryCheck.at(code, start + 2);
        boolean isLoad = EntryCheck.at(code, start) == 0x48
                && EntryCheck.at(code, start + 1) == 0x8b
                && (target == TO_RAX || (target == TO_RCX && !needsRcx));
        int next = start + 4;
        if (EntryCheck.at(code, next) == 0x31 && EntryCheck.at(code, next + 1) == 0xc0 && target != TO_RAX) {
            next += 2;
        }
        boolean isTest = EntryCheck.at(code, next) == 0x48
                && EntryCheck.at(code, next + 1) == 0x85
                && EntryCheck.at(code, next + 2) == (target == TO_RAX ? RAX_RAX : RCX_RCX);
        return isLoad && isTest && EntryCheck.at(code, next + 3) == 0x74 ? next + 3 : start;
    }
}
