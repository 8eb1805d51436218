package dev.probestream.bpf.usdt;

/**
 * The location of a USDT argument's value. The kind determines which components are used; the others are 0 or "".
 *
 * @param kind where the value is
 * @param value the constant, as a variable of the argument's size and sign holds it; or what is added to an address
 * @param register name of the register that holds the value or the base address, at its full width: {@code rax}, {@code
 *     x0}, {@code sp}
 * @param firstBit of the register, where the value begins: 8 for {@code %ah}, else 0
 * @param indexRegister name of the register whose value times {@code scale} is added to the address, or ""
 * @param scale 1, 2, 4 or 8
 * @param symbol that the address is relative to
 * @param obstacle why the value cannot be read, for messages
 */
public record UsdtOperand(
        Kind kind,
        long value,
        String register,
        int firstBit,
        String indexRegister,
        int scale,
        String symbol,
        String obstacle) {
    /** The kinds of location. */
    public enum Kind {
        /** {@code $5}: the value itself. */
        CONSTANT,
        /** {@code %rax}: in a register. */
        REGISTER,
        /** {@code 8(%rbp,%rax,4)}: in memory, at an address made of registers. */
        MEMORY,
        /** {@code counter+4(%rip)}: in memory, at this distance from a symbol of the file. */
        SYMBOL,
        /** In memory, at this distance from the probed instruction: a {@link #SYMBOL} that was looked up. */
        FROM_INSTRUCTION,
        /** Not readable by a BPF program: a floating-point register, or an operand that is not supported. */
        UNREADABLE
    }

    /**
     * {@return a constant}
     *
     * @param value the constant
     */
    public static UsdtOperand constant(long value) {
        return new UsdtOperand(Kind.CONSTANT, value, "", 0, "", 0, "", "");
    }

    /**
     * {@return the contents of a register}
     *
     * @param register its name
     * @param firstBit 0, or 8 for a second byte such as {@code ah}
     */
    public static UsdtOperand register(String register, int firstBit) {
        return new UsdtOperand(Kind.REGISTER, 0, register, firstBit, "", 0, "", "");
    }

    /**
     * {@return the memory at an address that registers make}
     *
     * @param register its name
     * @param displacement added to it, in bytes
     */
    public static UsdtOperand memory(String register, long displacement) {
        return new UsdtOperand(Kind.MEMORY, displacement, register, 0, "", 0, "", "");
    }

    /**
     * {@return the memory at an address that registers make}
     *
     * @param register its name
     * @param displacement added to it, in bytes
     * @param indexRegister added to it, times {@code scale}
     * @param scale 1, 2, 4 or 8
     */
    public static UsdtOperand memory(String register, long displacement, String indexRegister, int scale) {
        return new UsdtOperand(Kind.MEMORY, displacement, register, 0, indexRegister, scale, "", "");
    }

    /**
     * {@return the memory at a symbol}
     *
     * @param symbol its name
     * @param offset added to its address, in bytes
     */
    public static UsdtOperand symbol(String symbol, long offset) {
        return new UsdtOperand(Kind.SYMBOL, offset, "", 0, "", 0, symbol, "");
    }

    /**
     * {@return the memory at a distance from the probe's instruction}
     *
     * @param distance in bytes
     */
    public static UsdtOperand fromInstruction(long distance) {
        return new UsdtOperand(Kind.FROM_INSTRUCTION, distance, "", 0, "", 0, "", "");
    }

    /**
     * {@return what cannot be read}
     *
     * @param obstacle why
     */
    public static UsdtOperand unreadable(String obstacle) {
        return new UsdtOperand(Kind.UNREADABLE, 0, "", 0, "", 0, "", obstacle);
    }

    /**
     * An operand and the width of the register it names.
     *
     * @param widthBytes 0 where the operand has no width of its own
     */
    record Sized(UsdtOperand operand, int widthBytes) {
        static Sized of(UsdtOperand operand) {
            return new Sized(operand, 0);
        }

        static Sized unreadable(String obstacle) {
            return of(UsdtOperand.unreadable(obstacle));
        }

        static Sized notUnderstood(String text) {
            return unreadable("\"" + text + "\" is not understood");
        }
    }
}
