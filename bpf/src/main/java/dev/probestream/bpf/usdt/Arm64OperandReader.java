package dev.probestream.bpf.usdt;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads an aarch64 operand: {@code 5}, {@code x0}, {@code w0}, {@code sp}, {@code [sp, 12]}, {@code [x0, x1, lsl 3]}. */
final class Arm64OperandReader {
    private static final Pattern GENERAL = Pattern.compile("([xw])(\\d|[12]\\d|30)");
    private static final Pattern VECTOR = Pattern.compile("[bhsdqv](\\d|[12]\\d|3[01])(\\..*)?");
    private static final Pattern ADDRESS = Pattern.compile("\\[\\s*(\\w+)\\s*(?:,\\s*(.*?)\\s*)?\\]");
    private static final Pattern INDEX = Pattern.compile("(x\\d{1,2})\\s*(?:,\\s*lsl\\s*#?([0-3]))?");

    private Arm64OperandReader() {}

    static UsdtOperand.Sized parse(String text) {
        Optional<UsdtOperand.Sized> register = register(text);
        if (register.isPresent()) {
            return register.get();
        }
        Matcher address = ADDRESS.matcher(text);
        if (address.matches()) {
            return memory(text, address.group(1), address.group(2) == null ? "" : address.group(2));
        }
        if (VECTOR.matcher(text).matches()) {
            return UsdtOperand.Sized.unreadable("in " + text + ": BPF programs do not see this register");
        }
        return constant(text)
                .map(value -> UsdtOperand.Sized.of(UsdtOperand.constant(value)))
                .orElseGet(() -> UsdtOperand.Sized.notUnderstood(text));
    }

    private static Optional<UsdtOperand.Sized> register(String text) {
        if (text.equals("sp")) {
            return Optional.of(new UsdtOperand.Sized(UsdtOperand.register("sp", 0), 8));
        }
        if (text.equals("xzr") || text.equals("wzr")) {
            return Optional.of(UsdtOperand.Sized.of(UsdtOperand.constant(0)));
        }
        Matcher general = GENERAL.matcher(text);
        return general.matches()
                ? Optional.of(new UsdtOperand.Sized(
                        UsdtOperand.register("x" + general.group(2), 0),
                        general.group(1).equals("w") ? 4 : 8))
                : Optional.empty();
    }

    private static UsdtOperand.Sized memory(String text, String base, String rest) {
        if (!isAddressRegister(base)) {
            return UsdtOperand.Sized.notUnderstood(text);
        }
        Matcher index = INDEX.matcher(rest);
        if (index.matches() && isAddressRegister(index.group(1))) {
            int shift = index.group(2) == null ? 0 : Integer.parseInt(index.group(2));
            return UsdtOperand.Sized.of(UsdtOperand.memory(base, 0, index.group(1), 1 << shift));
        }
        if (rest.isEmpty()) {
            return UsdtOperand.Sized.of(UsdtOperand.memory(base, 0));
        }
        return constant(rest)
                .map(displacement -> UsdtOperand.Sized.of(UsdtOperand.memory(base, displacement)))
                .orElseGet(() -> UsdtOperand.Sized.notUnderstood(text));
    }

    private static boolean isAddressRegister(String name) {
        return register(name).filter(found -> found.widthBytes() == 8).isPresent();
    }

    private static Optional<Long> constant(String text) {
        String number = text.startsWith("#") ? text.substring(1) : text;
        return number.isEmpty()
                ? Optional.empty()
                : AddressSum.parse(number).filter(sum -> sum.symbol().isEmpty()).map(AddressSum::number);
    }
}
