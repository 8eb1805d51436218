package dev.probestream.bpf.usdt;

/**
 * An operand and how wide it is by itself.
 *
 * @param widthBytes of the register that was named; 0 where the operand does not say
 */
record Place(UsdtOperand operand, int widthBytes) {
    static Place of(UsdtOperand operand) {
        return new Place(operand, 0);
    }

    static Place unreadable(String obstacle) {
        return of(UsdtOperand.unreadable(obstacle));
    }

    static Place notUnderstood(String text) {
        return unreadable("\"" + text + "\" is not understood");
    }
}
