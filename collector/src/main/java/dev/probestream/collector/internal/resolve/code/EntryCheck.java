package dev.probestream.collector.internal.resolve.code;

/**
 * Recognises a check that a function begins with (libuv's: is the request NULL? V8's: is the queue suppressed?) in
 * x86-64 code:
 *
 * <pre>
 *   test %r,%r           48|4c|4d|49 85 /r, or 85 /r       (Intel SDM, TEST)
 *   cmpb $imm8,disp8(%r) 80 /7 ib, without a SIB byte      (CMP)
 *   then je, jne         74|75 rel8, or 0f 84|85 rel32     (Jcc)
 *   then push %r         50+r, or 41 50+r                  (PUSH)
 * </pre>
 *
 * None of them changes a register that a probe reads, and before the push the stack pointer is that of the entry.
 */
final class EntryCheck {
    private EntryCheck() {}

    /** Where the push begins, or {@code start} when the code is anything else. */
    static int end(byte[] code, int start) {
        int jump = Math.max(testEnd(code, start), byteComparisonEnd(code, start));
        int push = jump < 0 ? -1 : jumpEnd(code, jump);
        return push >= 0 && isPush(code, push) ? push : start;
    }

    static int testEnd(byte[] code, int start) {
        boolean hasPrefix = (at(code, start) & 0xf0) == 0x40;
        int opcode = hasPrefix ? start + 1 : start;
        boolean comparesRegisters = (at(code, opcode + 1) & 0xc0) == 0xc0;
        return at(code, opcode) == 0x85 && comparesRegisters ? opcode + 2 : -1;
    }

    private static int byteComparisonEnd(byte[] code, int start) {
        int operands = at(code, start + 1);
        boolean isByDisplacement = (operands & 0xc0) == 0x40 && (operands & 0x07) != 0x04;
        boolean isComparison = at(code, start) == 0x80 && (operands & 0x38) == 0x38;
        return isComparison && isByDisplacement ? start + 4 : -1;
    }

    static int jumpEnd(byte[] code, int start) {
        if ((at(code, start) & 0xfe) == 0x74) {
            return start + 2;
        }
        return at(code, start) == 0x0f && (at(code, start + 1) & 0xfe) == 0x84 ? start + 6 : -1;
    }

    private static boolean isPush(byte[] code, int start) {
        int opcode = at(code, start) == 0x41 ? start + 1 : start;
        return (at(code, opcode) & 0xf8) == 0x50;
    }

    /** The unsigned byte, or 0 behind the end. */
    static int at(byte[] code, int index) {
        return index < code.length ? code[index] & 0xff : 0;
    }
}
