package dev.probestream.bpf.usdt;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A part of a general register of x86-64 under its own name: {@code ah} is one byte of {@code rax}, from bit 8 on.
 *
 * @param fullName of all 8 bytes
 */
record X86Register(String fullName, int widthBytes, int firstBit) {
    private static final Pattern VECTOR = Pattern.compile("(?:[xyz]mm\\d{1,2}|mm\\d|k\\d|st(?:\\(\\d\\))?)");
    private static final Map<String, X86Register> BY_NAME = byName();

    static Optional<X86Register> named(String name) {
        return Optional.ofNullable(BY_NAME.get(name));
    }

    /** A register of floating-point or vector units. */
    static boolean isVector(String name) {
        return VECTOR.matcher(name).matches();
    }

    private static Map<String, X86Register> byName() {
        Map<String, X86Register> registers = new HashMap<>();
        for (String letter : List.of("a", "b", "c", "d")) {
            addWide(registers, letter + "x");
            registers.put(letter + "l", new X86Register("r" + letter + "x", 1, 0));
            registers.put(letter + "h", new X86Register("r" + letter + "x", 1, 8));
        }
        for (String name : List.of("si", "di", "bp", "sp")) {
            addWide(registers, name);
            registers.put(name + "l", new X86Register("r" + name, 1, 0));
        }
        for (int number = 8; number <= 15; number++) {
            String name = "r" + number;
            registers.put(name, new X86Register(name, 8, 0));
            registers.put(name + "d", new X86Register(name, 4, 0));
            registers.put(name + "w", new X86Register(name, 2, 0));
            registers.put(name + "b", new X86Register(name, 1, 0));
        }
        return Map.copyOf(registers);
    }

    private static void addWide(Map<String, X86Register> registers, String name) {
        registers.put("r" + name, new X86Register("r" + name, 8, 0));
        registers.put("e" + name, new X86Register("r" + name, 4, 0));
        registers.put(name, new X86Register("r" + name, 2, 0));
    }
}
