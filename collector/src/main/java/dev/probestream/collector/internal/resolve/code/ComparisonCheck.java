package dev.probestream.collector.internal.resolve.code;

/**
 * Recognises a comparison that a function begins with in x86-64 code, and the jump behind it:
 *
 * <pre>
 *   [xor %eax,%eax] · test %r,%r   [31 c0] 48|4c|4d|49 85 /r, or 85 /r    (Intel SDM, XOR, TEST)
 *   cmpb|cmpl $imm8,disp8(%r) 80|83 /7 ib, without a SIB byte     (CMP)
 *   testb $imm8,disp8(%r)    f6 /0 ib, likewise                   (TEST)
 *   mov disp(%rdi),%eax · test %eax,%eax | $imm8,%al    8b 47 disp8 | 8b 87 disp32 · 85 c0 | a8 ib
 *   add %rdi,%rsi · cmp %rsi,%rdi    48 01 fe · 48 39 f7          (the end of what begins at rdi)
 *   then [mov %rcx,%r8]      49 89 c8                             (MOV)
 *   then je, jne             74|75 rel8, or 0f 84|85 rel32        (Jcc)
 * </pre>
 *
 * The kernel emulates the jump, and a probe on it sees every call. Up to there only rax, which passes no argument, rsi,
 * which passes the second, and r8, which passes the fifth, are lost; the stack pointer is that of the entry.
 */
final class ComparisonCheck {
    private ComparisonCheck() {}

    /**
     * Where the jump begins, or {@code start} when the code is anything else.
     *
     * @param needsRsi whether the second argument must still be there
     * @param needsR8 the same of the fifth
     */
    static int end(byte[] code, int start, boolean needsRsi, boolean needsR8) {
        int next = Math.max(Math.max(testEnd(code, start), memoryEnd(code, start)), loadedEnd(code, start));
        if (!needsRsi && hasBytes(code, start, 0x48, 0x01, 0xfe, 0x48, 0x39, 0xf7)) {
            next = start + 6;
        }
        if (next >= 0 && !needsR8 && hasBytes(code, next, 0x49, 0x89, 0xc8)) {
            next += 3;
        }
        return next >= 0 && EntryCheck.jumpEnd(code, next) >= 0 ? next : start;
    }

    private static int testEnd(byte[] code, int start) {
        return EntryCheck.testEnd(code, hasBytes(code, start, 0x31, 0xc0) ? start + 2 : start);
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
        boolean isNear = hasBytes(code, start, 0x8b, 0x47);
        int test = start + (isNear ? 3 : 6);
        boolean isLoad = isNear || hasBytes(code, start, 0x8b, 0x87);
        boolean isTest = hasBytes(code, test, 0x85, 0xc0) || hasBytes(code, test, 0xa8);
        return isLoad && isTest ? test + 2 : -1;
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
