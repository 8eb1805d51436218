package dev.probestream.bpf.usdt;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A sum in front of a register, in assembler syntax: {@code -8}, {@code 16+8}, {@code counter+4}, {@code 4+counter}.
 *
 * @param symbol the only one in it, or ""
 */
record AddressSum(String symbol, long number) {
    private static final Pattern TERM = Pattern.compile(
            "\\s*([+-]?)\\s*(?:(0[xX][0-9a-fA-F]{1,16}|\\d{1,20})|([A-Za-z_.$][\\w.$@]*)|\"([^\"]+)\")\\s*");

    /** Empty if the text is not a sum; an empty text is 0. */
    static Optional<AddressSum> parse(String text) {
        Matcher term = TERM.matcher(text);
        String symbol = "";
        long number = 0;
        int at = 0;
        while (at < text.length()) {
            if (!term.region(at, text.length()).lookingAt()) {
                return Optional.empty();
            }
            boolean isNegative = term.group(1).equals("-");
            if (at > 0 && term.group(1).isEmpty()) {
                return Optional.empty();
            }
            if (term.group(2) != null) {
                Optional<Long> value = unsigned(term.group(2));
                if (value.isEmpty()) {
                    return Optional.empty();
                }
                number += isNegative ? -value.get() : value.get();
            } else if (isNegative || !symbol.isEmpty()) {
                return Optional.empty();
            } else {
                symbol = term.group(3) != null ? term.group(3) : term.group(4);
            }
            at = term.end();
        }
        return Optional.of(new AddressSum(symbol, number));
    }

    private static Optional<Long> unsigned(String digits) {
        try {
            boolean isHexadecimal = digits.startsWith("0x") || digits.startsWith("0X");
            return Optional.of(
                    isHexadecimal ? Long.parseUnsignedLong(digits.substring(2), 16) : Long.parseUnsignedLong(digits));
        } catch (NumberFormatException e) {
            return Optional.empty();
        }
    }
}
