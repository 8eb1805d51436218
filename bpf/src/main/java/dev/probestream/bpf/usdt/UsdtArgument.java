package dev.probestream.bpf.usdt;

/**
 * One argument of a USDT probe at one of its sites.
 *
 * @param text as the note has it: {@code -4@%eax}
 * @param sizeBytes 1, 2, 4 or 8; what the note leaves out is the width of its place
 * @param isSigned whether the number is to be sign-extended
 * @param isFloat whether the bytes are a floating-point number ({@code 8f@}); they are never read as an integer
 */
public record UsdtArgument(String text, int sizeBytes, boolean isSigned, boolean isFloat, UsdtOperand operand) {}
