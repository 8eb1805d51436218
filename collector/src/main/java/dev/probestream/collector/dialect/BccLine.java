package dev.probestream.collector.dialect;

import dev.probestream.collector.internal.expression.FilterTranslator;
import dev.probestream.collector.internal.expression.LineScanner;
import dev.probestream.collector.internal.expression.Operand;
import dev.probestream.collector.internal.expression.SpecSyntax;
import dev.probestream.collector.internal.expression.Token;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A parser of the syntax of bcc's trace:
 *
 * <pre>
 *   [p|r]:[LIBRARY]:FUNCTION[+OFFSET][(SIGNATURE)] [(CONDITION)] ["FORMAT"[, VALUE ...]]
 *   u:[LIBRARY|PROVIDER:]NAME                      [(CONDITION)] ["FORMAT"[, VALUE ...]]
 *   t:CATEGORY:EVENT                               [(CONDITION)] ["FORMAT"[, VALUE ...]]
 * </pre>
 */
final class BccLine {
    private static final int PLAIN_SIZE_BYTES = Integer.BYTES;

    private final LineScanner line;

    BccLine(String text) {
        this.line = new LineScanner(text, false);
    }

    TraceLine parse() {
        line.skipBlanks();
        int start = line.position();
        String attachPoint = attachPoint(start, written());
        Parameters parameters = new Parameters();
        if (line.at('(') && attachPoint.startsWith("u")) {
            line.next();
            parameters = signature(attachPoint);
        }
        BccOperands values = new BccOperands(line, parameters);
        String filter = "";
        if (line.peek().is("(")) {
            filter = " /" + filter(values) + "/";
        }
        MessageTranslator message = new MessageTranslator(line, Message.Style.COLUMNS);
        boolean hasMessage = message(values, message);
        String spec = attachPoint + message.arguments() + filter;
        return new TraceLine(
                TraceLine.translated(line, start, spec),
                hasMessage ? Optional.of(message.message()) : Optional.empty());
    }

    /** The attach point, up to a blank or a parenthesis; a function's name may be in quotes. */
    private String written() {
        String written = line.run(c -> !Character.isWhitespace(c) && c != '(' && c != '"');
        return written.endsWith(":") && line.at('"')
                ? written + '"' + line.next().text() + '"'
                : written;
    }

    private Parameters signature(String attachPoint) {
        if (attachPoint.startsWith("u:")) {
            throw line.failAt(line.position() - 1, "a USDT probe has no signature; put a blank before a condition");
        }
        int open = line.position();
        String inside = line.run(c -> c != ')');
        line.moveTo(open);
        if (inside.indexOf('|') >= 0) {
            throw line.failAt(open, "regular expressions are not supported: use * and ?, or one probe for each name");
        }
        return Parameters.read(line);
    }

    private String filter(BccOperands values) {
        line.expect("(", "before the condition");
        String filter = new FilterTranslator(line, values).translate();
        line.expect(")", "at the end of the condition");
        return filter;
    }

    private boolean message(BccOperands values, MessageTranslator message) {
        Token format = line.next();
        if (format.kind() == Token.Kind.END) {
            return false;
        }
        if (format.kind() != Token.Kind.STRING) {
            throw line.failAt(format.position(), "expected a \"format\", not " + format.shown());
        }
        List<Operand> printed = new ArrayList<>();
        // bcc's trace takes the first value with or without a comma before it.
        boolean isMore = line.take(",") || line.peek().kind() != Token.Kind.END;
        while (isMore) {
            printed.add(message.read(values));
            isMore = line.take(",");
        }
        Token rest = line.next();
        if (rest.kind() != Token.Kind.END) {
            throw line.failAt(
                    rest.position(),
                    "expected ',' or the end, not " + rest.shown() + ": a printed value is computed with + - * / %"
                            + " and parentheses");
        }
        message.add(new PrintfFormat(line, format, PLAIN_SIZE_BYTES).parse(), printed, format.position());
        return true;
    }

    private String attachPoint(int start, String written) {
        List<String> words = words(written);
        if (words.size() == 1) {
            throw line.failAt(start, KernelFunction.refusal(written, false));
        }
        // 'lib:func' is short for 'p:lib:func', and so is ':lib:func'.
        boolean isShort = words.size() == 2 && !words.get(0).matches("[prtu]?");
        String kind = isShort || words.get(0).isEmpty() ? "p" : words.get(0);
        List<String> rest = isShort ? words : words.subList(1, words.size());
        return switch (kind) {
            case "p" -> function(start, "uprobe", rest);
            case "r" -> function(start, "uretprobe", rest);
            case "t" -> "tracepoint:" + String.join(":", rest);
            case "u" -> usdt(start, rest);
            default ->
                throw line.failAt(
                        start, "expected p:, r:, t: or u: as in bcc's trace, or a probe spec (uprobe:, usdt: ...)");
        };
    }

    /** The parts between colons; two colons belong to the name of a C++ function. */
    private static List<String> words(String written) {
        int quote = written.indexOf('"');
        String plain = quote < 0 ? written : written.substring(0, quote - 1);
        // A pair of colons separates only at the beginning, or behind the kind: :lib:func, p::func.
        int first = plain.startsWith(":") ? 0 : plain.indexOf(':');
        List<String> words = new ArrayList<>();
        if (first >= 0) {
            words.add(plain.substring(0, first));
            plain = plain.substring(first + 1);
        }
        words.addAll(List.of(plain.split("(?<!:):(?!:)|^:", -1)));
        if (quote >= 0) {
            words.add(written.substring(quote));
        }
        return words;
    }

    private String function(int start, String kind, List<String> words) {
        String function = words.get(words.size() - 1);
        String library = String.join(":", words.subList(0, words.size() - 1));
        if (library.isEmpty()) {
            throw line.failAt(start, KernelFunction.refusal(function, kind.equals("uretprobe")));
        }
        if (function.startsWith("\"")) {
            return kind + ":" + SpecSyntax.name(library) + ":" + function;
        }
        int plus = function.indexOf('+');
        String name = plus < 0 ? function : function.substring(0, plus);
        if (name.startsWith("0x")) {
            throw line.failAt(
                    start,
                    "addresses are not supported: use the function's name and an offset, such as"
                            + " p:LIBRARY:FUNCTION+0x10");
        }
        return kind + ":" + SpecSyntax.name(library) + ":" + SpecSyntax.name(name)
                + (plus < 0 ? "" : function.substring(plus));
    }

    private String usdt(int start, List<String> words) {
        if (words.size() > 3 || words.get(words.size() - 1).isEmpty()) {
            throw line.failAt(start, "expected u:NAME, u:PROVIDER:NAME, u:LIBRARY:NAME or u:LIBRARY:PROVIDER:NAME");
        }
        return (words.size() == 3 ? "usdt:" : "u:") + String.join(":", words);
    }
}
