package dev.probestream.collector.dialect;

import dev.probestream.collector.internal.expression.LineScanner;
import dev.probestream.collector.internal.expression.Token;
import dev.probestream.collector.probe.LineSyntaxException;
import java.util.ArrayList;
import java.util.List;

/** Parses a format of printf(3) into text, conversion, text, conversion ... text. */
final class PrintfFormat {
    private static final String FLAGS = "-0+ #";

    private final LineScanner line;
    private final Token token;
    private final String format;
    private final int plainSizeBytes;
    private final List<String> texts = new ArrayList<>();
    private final List<PrintfConversion> conversions = new ArrayList<>();
    private int at;

    /**
     * @param token the string literal
     * @param plainSizeBytes the size of a number without h or l
     */
    PrintfFormat(LineScanner line, Token token, int plainSizeBytes) {
        this.line = line;
        this.token = token;
        this.format = token.text();
        this.plainSizeBytes = plainSizeBytes;
    }

    /** The texts between the conversions: one more than there are conversions. */
    List<String> texts() {
        return texts;
    }

    List<PrintfConversion> conversions() {
        return conversions;
    }

    PrintfFormat parse() {
        StringBuilder plain = new StringBuilder();
        while (at < format.length()) {
            char c = format.charAt(at++);
            if (c != '%') {
                plain.append(c);
            } else if (at < format.length() && format.charAt(at) == '%') {
                plain.append('%');
                at++;
            } else {
                texts.add(plain.toString());
                plain.setLength(0);
                conversions.add(conversion());
            }
        }
        texts.add(plain.toString());
        return this;
    }

    private PrintfConversion conversion() {
        int start = at - 1;
        String flags = run(FLAGS);
        int width = number();
        int precision = -1;
        if (at < format.length() && format.charAt(at) == '.') {
            at++;
            precision = number();
        }
        String length = run("hlzjt");
        char letter = at < format.length() ? format.charAt(at++) : ' ';
        if (letter == 'i') {
            letter = 'd';
        }
        if ("duxXocsp".indexOf(letter) < 0) {
            throw refuse(start, letter);
        }
        char sign = flags.indexOf('+') >= 0 ? '+' : flags.indexOf(' ') >= 0 ? ' ' : '\0';
        return new PrintfConversion(
                letter,
                size(letter, length),
                flags.indexOf('-') >= 0,
                flags.indexOf('0') >= 0,
                sign,
                flags.indexOf('#') >= 0,
                width,
                precision);
    }

    private LineSyntaxException refuse(int start, char letter) {
        String what = "the conversion " + format.substring(start, at);
        String instead = switch (letter) {
            case 'K' -> ", the name of the kernel function at an address, is not supported: print the address with %lx";
            case 'U' -> ", the name of the function at an address, is not supported: print the address with %lx";
            case 'r' -> " is not supported: use %s for text, %x for a number";
            default ->
                " is not supported; supported are %s %d %i %u %x %X %o %c %p and %%, with h, l or ll and a width";
        };
        return line.failAt(token.position(), what + instead);
    }

    private int size(char letter, String length) {
        if (letter == 'p') {
            return Long.BYTES;
        }
        if (letter == 'c') {
            return 1;
        }
        return switch (length) {
            case "" -> plainSizeBytes;
            case "hh" -> 1;
            case "h" -> 2;
            default -> Long.BYTES;
        };
    }

    private String run(String characters) {
        int start = at;
        while (at < format.length() && characters.indexOf(format.charAt(at)) >= 0) {
            at++;
        }
        return format.substring(start, at);
    }

    private int number() {
        String digits = run("0123456789");
        if (digits.length() > 4 || (!digits.isEmpty() && Integer.parseInt(digits) > PrintfConversion.MAX_WIDTH)) {
            throw line.failAt(
                    token.position(), "width " + digits + " is too large: at most " + PrintfConversion.MAX_WIDTH);
        }
        return digits.isEmpty() ? 0 : Integer.parseInt(digits);
    }
}
