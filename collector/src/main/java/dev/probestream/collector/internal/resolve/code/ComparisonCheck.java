package dev.probestream.collector.internal.resolve.code;

/**
 * Recognises a comparison that a function begins with in x86-64 code, and the jump behind it:
 *
 * <pre>
 *   test %r,%r               48|4c|4d|49 85 /r, or 85 /r          (Intel SDM, TEST)
 *   cmpb|cmpl $imm8,disp8(%r) 80|83 /7 ib, without a SIB byte     (CMP)
 *   testb $imm8,disp8(%r)    f6 /0 ib, likewise                   (TEST)
 *   mov disp8(%rdi),%eax · test %eax,%eax    8b 47 disp8 · 85 c0
 *   then [mov %rcx,%r8]      49 89 c8                             (MOV)
 *   then je, jne             74|75 rel8, or 0f 84|85 rel32        (Jcc)
 * </pre>
 *
 * The kernel emulates the jump, and a probe on it sees every call. Up to there only rax, which passes no argument, and r8,
 * which passes the fifth, are lost; the stack pointer is that of the entry.
 */
final class ComparisonCheck {
    private ComparisonCheck() {}

    /**
     * Where the jump begins, or {@code start} when the code is anything else.
     *
     * @param needsR8 whether the fifth argument must still be there
     */
    static int end(byte[] code, int start, boolean needsR8) {
        int next = Math.max(Math.max(EntryCheck.testEnd(code, start), memoryEnd(code, start)), loadedEnd(code, start));
        if (next >= 0 && !needsR8 && hasBytes(code, next, 0x49, 0x89, 0xc8)) {
            next += 3;
        }
        return next >= 0 && EntryCheck.jumpEnd(code, next) >= 0 ? next : start;
    }

    private static int memoryEnd(byte[] code, int start) {
        int operands = EntryCheck.at(code, start + 1);
        boolean isByDisplacement = (operands & 0xc0) == 0x40 && (operands & 0x07) != 0x04;
        int operation = operands >> 3 & 7;
        boolean isComparison = switch (EntryCheck.at(code, start)) {
            case 0x80, 0x83 -> operation == 7;
            case 0xf6 -> operation == 0;
            default -> false;
        };
        return isByDisplacement && isComparison ? start + 4 : -1;
    }

    private static int loadedEnd(byte[] code, int start) {
        return hasBytes(code, start, 0x8b, 0x47) && hasBytes(code, start + 3, 0x85, 0xc0) ? start + 5 : -1;
    }

    private static boolean hasBytes(byte[] code, int start, int... wanted) {
        for (int i = 0; i < wanted.length; i++) {
            if (EntryCheck.at(code, start + i) != wanted[i]) {
                return false;
            }
        }
        return true;
    }
}
