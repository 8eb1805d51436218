package dev.probestream.cli.list;

import dev.probestream.bpf.usdt.UsdtArgument;
import dev.probestream.bpf.usdt.UsdtOperand;

/** Describes an argument of a USDT probe: {@code signed 4 bytes in rax}, {@code unsigned 8 bytes at rbp-8}. */
final class OperandText {
    private OperandText() {}

    static String of(UsdtArgument argument) {
        UsdtOperand operand = argument.operand();
        return switch (operand.kind()) {
            case UNREADABLE -> "cannot be read: " + operand.obstacle();
            case CONSTANT -> type(argument) + ", always " + number(argument);
            case REGISTER -> type(argument) + " in " + place(operand);
            case MEMORY, SYMBOL, FROM_INSTRUCTION -> type(argument) + " at " + place(operand);
        };
    }

    /** The location as a formula: {@code rax}, {@code rbp+rax*4-8}, {@code counter+4}; "" if there is none. */
    static String place(UsdtOperand operand) {
        return switch (operand.kind()) {
            case UNREADABLE, CONSTANT -> "";
            case REGISTER ->
                operand.firstBit() == 0
                        ? operand.register()
                        : operand.register() + " from bit " + operand.firstBit() + " on";
            case MEMORY -> address(operand);
            case SYMBOL -> operand.symbol() + offset(operand.value());
            case FROM_INSTRUCTION -> "the probe" + offset(operand.value());
        };
    }

    private static String address(UsdtOperand operand) {
        String index = operand.indexRegister().isEmpty()
                ? ""
                : operand.indexRegister() + (operand.scale() == 1 ? "" : "*" + operand.scale());
        String plus = operand.register().isEmpty() || index.isEmpty() ? "" : "+";
        return operand.register() + plus + index + offset(operand.value());
    }

    private static String offset(long bytes) {
        return bytes == 0 ? "" : bytes < 0 ? Long.toString(bytes) : "+" + bytes;
    }

    private static String type(UsdtArgument argument) {
        return (argument.isSigned() ? "signed " : "unsigned ")
                + argument.sizeBytes()
                + (argument.sizeBytes() == 1 ? " byte" : " bytes");
    }

    private static String number(UsdtArgument argument) {
        long value = argument.operand().value();
        return argument.isSigned() ? Long.toString(value) : Long.toUnsignedString(value);
    }
}
