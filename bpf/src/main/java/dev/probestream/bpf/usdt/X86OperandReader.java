package dev.probestream.bpf.usdt;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Reads an x86-64 operand in AT&amp;T syntax: {@code $5}, {@code %eax}, {@code -8(%rbp,%rax,4)}, {@code
 * counter+4(%rip)}.
 */
final class X86OperandReader {
    private static final Pattern ADDRESS =
            Pattern.compile("([^()%]*)(?:\\(\\s*(?:%(\\w+))?\\s*(?:,\\s*%(\\w+)\\s*(?:,\\s*([1248])?\\s*)?)?\\))?");

    /** A relocated symbol: the linker replaces it by a slot of a table, not by the symbol's address. */
    private static final Pattern RELOCATED = Pattern.compile(".*@(GOT|PLT|TPOFF|DTPOFF|NTPOFF|TLS|INDNTPOFF)\\w*");

    private X86OperandReader() {}

    static UsdtOperand.Sized parse(String text) {
        if (text.startsWith("$")) {
            return constant(text);
        }
        if (text.startsWith("%")) {
            return register(text);
        }
        Matcher address = ADDRESS.matcher(text);
        if (text.isEmpty() || !address.matches()) {
            return UsdtOperand.Sized.notUnderstood(text);
        }
        Optional<AddressSum> displacement = AddressSum.parse(address.group(1).strip());
        return displacement.isEmpty()
                ? UsdtOperand.Sized.notUnderstood(text)
                : memory(text, displacement.get(), address.group(2), address.group(3), address.group(4));
    }

    private static UsdtOperand.Sized constant(String text) {
        Optional<AddressSum> value = AddressSum.parse(text.substring(1));
        if (text.length() == 1 || value.isEmpty()) {
            return UsdtOperand.Sized.notUnderstood(text);
        }
        return value.get().symbol().isEmpty()
                ? UsdtOperand.Sized.of(UsdtOperand.constant(value.get().number()))
                : UsdtOperand.Sized.unreadable("the address of a symbol, " + text);
    }

    private static UsdtOperand.Sized register(String text) {
        String name = text.substring(1);
        if (X86Register.isVector(name)) {
            return UsdtOperand.Sized.unreadable("in " + text + ": BPF programs do not see this register");
        }
        if (name.startsWith("fs:") || name.startsWith("gs:")) {
            return UsdtOperand.Sized.unreadable("thread-local, at " + text);
        }
        return X86Register.named(name)
                .map(found -> new UsdtOperand.Sized(
                        UsdtOperand.register(found.fullName(), found.firstBit()), found.widthBytes()))
                .orElseGet(() -> UsdtOperand.Sized.notUnderstood(text));
    }

    private static UsdtOperand.Sized memory(
            String text,
            AddressSum displacement,
            @Nullable String base,
            @Nullable String index,
            @Nullable String scale) {
        if (!displacement.symbol().isEmpty()) {
            return symbol(text, displacement, base, index);
        }
        if (!isAddressRegister(base) || !isAddressRegister(index) || "rsp".equals(index)) {
            return UsdtOperand.Sized.notUnderstood(text);
        }
        if (base == null && index == null) {
            return UsdtOperand.Sized.unreadable("at the fixed address " + text);
        }
        return UsdtOperand.Sized.of(
                index == null
                        ? UsdtOperand.memory(base == null ? "" : base, displacement.number())
                        : UsdtOperand.memory(
                                base == null ? "" : base,
                                displacement.number(),
                                index,
                                scale == null ? 1 : Integer.parseInt(scale)));
    }

    /** {@code counter(%rip)}, or {@code counter} alone in position-dependent code: the same location. */
    private static UsdtOperand.Sized symbol(
            String text, AddressSum displacement, @Nullable String base, @Nullable String index) {
        if (RELOCATED.matcher(displacement.symbol()).matches()) {
            return UsdtOperand.Sized.unreadable("through a table of the linker, " + text);
        }
        if (index != null || (base != null && !base.equals("rip"))) {
            return UsdtOperand.Sized.unreadable("at a symbol and a register, " + text);
        }
        return UsdtOperand.Sized.of(UsdtOperand.symbol(displacement.symbol(), displacement.number()));
    }

    private static boolean isAddressRegister(@Nullable String name) {
        return name == null
                || X86Register.named(name)
                        .filter(found -> found.widthBytes() == 8)
                        .isPresent();
    }
}
