package dev.probestream.bpf.usdt;

/**
 * One argument of a USDT probe at one of its attach points.
 *
 * @param text as the note has it: {@code -4@%eax}
 * @param sizeBytes 1, 2, 4 or 8; where the note has no size, the width of the operand
 * @param isSigned whether the number must be sign-extended
 * @param isFloat whether the bytes are a floating-point number ({@code 8f@}); they are never read as an integer; of a constant the operand has the bits
 * @param operand where the value is
 */
public record UsdtArgument(String text, int sizeBytes, boolean isSigned, boolean isFloat, UsdtOperand operand) {}
