package dev.probestream.bpf.usdt;

import dev.probestream.bpf.elf.ElfMachine;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Reads the argument text of a stapsdt note: {@code -4@%eax 8@-8(%rbp)}. Each argument is {@code [-]SIZE[f]@PLACE}; the
 * minus means signed, the f floating-point, and all before the {@code @} may be missing. PLACE is an operand in the
 * syntax of the machine's assembler. Parsing never fails: a malformed argument becomes an unreadable one.
 */
public final class UsdtArgumentParser {
    /** The size of memory and of constants where the note has none. */
    private static final int DEFAULT_SIZE_BYTES = 8;

    private static final Pattern SIZED = Pattern.compile("(-?)(\\d{1,3})(f?)@(.*)", Pattern.DOTALL);

    private UsdtArgumentParser() {}

    /**
     * In the order of the probe's arguments.
     *
     * @param machine whose registers the text names
     * @param text what to read
     * @return the arguments, in the order of the probe
     */
    public static List<UsdtArgument> parse(ElfMachine machine, String text) {
        List<UsdtArgument> arguments = new ArrayList<>();
        for (String argument : ArgumentSplitter.split(text)) {
            arguments.add(argument(machine, argument));
        }
        return List.copyOf(arguments);
    }

    private static UsdtArgument argument(ElfMachine machine, String text) {
        Matcher sized = SIZED.matcher(text);
        boolean isSized = sized.matches();
        int sizeBytes = isSized ? Integer.parseInt(sized.group(2)) : 0;
        boolean isSigned = isSized && !sized.group(1).isEmpty();
        boolean isFloat = isSized && !sized.group(3).isEmpty();
        if (isSized && (sizeBytes > 8 || Integer.bitCount(sizeBytes) != 1)) {
            return unreadable(text, DEFAULT_SIZE_BYTES, isSigned, isFloat, "a size of " + sizeBytes + " bytes");
        }
        UsdtOperand.Sized sizedOperand = operand(machine, isSized ? sized.group(4) : text);
        int size = Math.min(
                isSized ? sizeBytes : DEFAULT_SIZE_BYTES,
                sizedOperand.widthBytes() == 0 ? 8 : sizedOperand.widthBytes());
        UsdtOperand operand = sizedOperand.operand();
        if (isFloat) {
            boolean isWhole = size == sizeBytes && size >= Float.BYTES;
            return isWhole || operand.kind() == UsdtOperand.Kind.UNREADABLE
                    ? new UsdtArgument(text, size, isSigned, true, operand)
                    : unreadable(text, size, isSigned, true, "a floating-point number of " + size + " bytes");
        }
        if (operand.kind() == UsdtOperand.Kind.CONSTANT) {
            boolean isNegative = !isSized && operand.value() < 0;
            operand = UsdtOperand.constant(cut(operand.value(), size, isSigned || isNegative));
            return new UsdtArgument(text, size, isSigned || isNegative, false, operand);
        }
        return new UsdtArgument(text, size, isSigned, isFloat, operand);
    }

    private static UsdtOperand.Sized operand(ElfMachine machine, String text) {
        return switch (machine) {
            case X86_64 -> X86OperandReader.parse(text);
            case AARCH64 -> Arm64OperandReader.parse(text);
            case BPF, OTHER -> UsdtOperand.Sized.unreadable("arguments of this processor are not known");
        };
    }

    private static UsdtArgument unreadable(
            String text, int sizeBytes, boolean isSigned, boolean isFloat, String obstacle) {
        return new UsdtArgument(text, sizeBytes, isSigned, isFloat, UsdtOperand.unreadable(obstacle));
    }

    /** The value as a variable of this size and sign holds it. */
    private static long cut(long value, int sizeBytes, boolean isSigned) {
        int unused = 64 - 8 * sizeBytes;
        return isSigned ? value << unused >> unused : value << unused >>> unused;
    }
}
