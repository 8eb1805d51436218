package dev.probestream.collector.probe;

import java.util.Arrays;
import java.util.Optional;

/**
 * The arithmetic of integers in filters and values. Every operand has 64 bits and the result wraps. It is unsigned where one
 * operand is (u64, ptr), as in C; division rounds toward zero. As by the kernel's own instructions, {@code a / 0} is 0 and
 * {@code a % 0} is {@code a}.
 */
public enum IntegerOperation {
    /** {@code a + b}. */
    ADD("+"),
    /** {@code a - b}. */
    SUBTRACT("-"),
    /** {@code a * b}. */
    MULTIPLY("*"),
    /** {@code a / b}. */
    DIVIDE("/"),
    /** {@code a % b}: the remainder has the sign of {@code a}. */
    REMAINDER("%");

    private final String sign;

    IntegerOperation(String sign) {
        this.sign = sign;
    }

    /** {@return how it is written} */
    public String sign() {
        return sign;
    }

    /** {@return whether it goes before + and -} */
    public boolean isProduct() {
        return this == MULTIPLY || this == DIVIDE || this == REMAINDER;
    }

    /**
     * {@return the operation of this sign}
     *
     * @param sign as it is written
     */
    public static Optional<IntegerOperation> ofSign(String sign) {
        return Arrays.stream(values())
                .filter(operation -> operation.sign.equals(sign))
                .findFirst();
    }

    /**
     * {@return the result}
     *
     * @param left the bits of the left operand
     * @param right the bits of the right operand
     * @param isUnsigned whether they are numbers without a sign
     */
    public long of(long left, long right, boolean isUnsigned) {
        return switch (this) {
            case ADD -> left + right;
            case SUBTRACT -> left - right;
            case MULTIPLY -> left * right;
            case DIVIDE -> right == 0 ? 0 : isUnsigned ? Long.divideUnsigned(left, right) : left / right;
            case REMAINDER -> right == 0 ? left : isUnsigned ? Long.remainderUnsigned(left, right) : left % right;
        };
    }
}
