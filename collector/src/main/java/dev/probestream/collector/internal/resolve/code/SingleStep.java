package dev.probestream.collector.internal.resolve.code;

/**
 * Determines which x86-64 instructions the kernel runs one by one out of line when a uprobe sits on them, at some 10 us
 * a hit instead of 0.6. It emulates these only (arch/x86/kernel/uprobes.c, push_setup_xol_ops and branch_setup_xol_ops,
 * v6.1):
 *
 * <pre>
 *   push %r           50+r, or 41 50+r
 *   nop               90, and 0f 1f 44 00 00 (from 6.18 on a call; before it is stepped like others)
 *   call, jmp rel     e8, e9, eb
 *   jcc rel           70 ... 7f, 0f 80 ... 0f 8f
 * </pre>
 */
final class SingleStep {
    private static final byte[] FIVE_BYTE_NOP = {0x0f, 0x1f, 0x44, 0x00, 0x00};

    private SingleStep() {}

    static boolean isAt(byte[] code, int start) {
        return !isPush(code, start) && !isBranch(code, start) && !isFiveByteNop(code, start);
    }

    private static boolean isPush(byte[] code, int start) {
        boolean hasPrefix = EntryCheck.at(code, start) == 0x41;
        return (EntryCheck.at(code, hasPrefix ? start + 1 : start) & 0xf8) == 0x50;
    }

    private static boolean isBranch(byte[] code, int start) {
        int opcode = EntryCheck.at(code, start);
        boolean isNearCondition = opcode == 0x0f && (EntryCheck.at(code, start + 1) & 0xf0) == 0x80;
        return switch (opcode) {
            case 0x90, 0xe8, 0xe9, 0xeb -> true;
            default -> isNearCondition || (opcode & 0xf0) == 0x70;
        };
    }

    private static boolean isFiveByteNop(byte[] code, int start) {
        for (int i = 0; i < FIVE_BYTE_NOP.length; i++) {
            if (EntryCheck.at(code, start + i) != FIVE_BYTE_NOP[i]) {
                return false;
            }
        }
        return true;
    }
}
