package dev.probestream.bpf.usdt;

/**
 * An operand and how wide it is by itself.
 *
 * @param widthBytes of the register that was named; 0 where the operand does not say
 */
record SizedOperand(UsdtOperand operand, int widthBytes) {
    static SizedOperand of(UsdtOperand operand) {
        return new SizedOperand(operand, 0);
    }

    static SizedOperand unreadable(String obstacle) {
        return of(UsdtOperand.unreadable(obstacle));
    }

    static SizedOperand notUnderstood(String text) {
        return unreadable("\"" + text + "\" is not understood");
    }
}
