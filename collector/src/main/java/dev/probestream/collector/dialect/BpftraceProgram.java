package dev.probestream.collector.dialect;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A parser of bpftrace programs that only print:
 *
 * <pre>
 *   PROBE[, PROBE ...] [/CONDITION/] { printf("FORMAT"[, VALUE ...]); ... } ...
 * </pre>
 */
final class BpftraceProgram {
    static final String NO_MAPS = "maps (@) are not supported by trace; use hist for counts and histograms";
    static final String NO_VARIABLES =
            "variables ($) are not supported: only arguments are printed; use span: to pair a call with its return";

    /** bpftrace's integers have 64 bits, independent of the conversion. */
    private static final int PLAIN_SIZE_BYTES = Long.BYTES;

    private final LineScanner line;

    /**
     * A probe of the program.
     *
     * @param written in bpftrace's syntax
     * @param spec in the syntax of a probe spec
     */
    private record AttachPoint(String written, String spec, int position) {}

    BpftraceProgram(String text) {
        this.line = new LineScanner(text, true);
    }

    List<TraceLine> parse() {
        List<TraceLine> lines = new ArrayList<>();
        line.skipBlanks();
        while (!line.atEnd()) {
            lines.addAll(clause());
            line.skipBlanks();
        }
        return lines;
    }

    private List<TraceLine> clause() {
        List<AttachPoint> points = attachPoints();
        int body = line.position();
        List<TraceLine> lines = new ArrayList<>();
        for (AttachPoint point : points) {
            line.moveTo(body);
            lines.add(line(point));
        }
        return lines;
    }

    private List<AttachPoint> attachPoints() {
        List<AttachPoint> points = new ArrayList<>();
        do {
            line.skipBlanks();
            int start = line.position();
            String written = new BpftraceAttachPoint(line).read();
            points.add(new AttachPoint(written, new BpftraceAttachPoint(line).translate(written, start), start));
        } while (line.take(","));
        return points;
    }

    private TraceLine line(AttachPoint point) {
        BpftraceOperands values = new BpftraceOperands(line, point.written());
        String filter = "";
        if (line.take("/")) {
            filter = " /" + new FilterTranslator(line, values).translate() + "/";
            line.expect("/", "at the end of the condition");
        }
        line.expect("{", "before the statements");
        MessageTranslator message = new MessageTranslator(line, Message.Style.PLAIN);
        int printed = 0;
        while (!line.take("}")) {
            if (!line.take(";")) {
                printed++;
                statement(values, message);
            }
        }
        if (printed == 0) {
            throw line.failAt(line.position() - 1, "empty block: expected printf(\"...\", ...)");
        }
        String spec = point.spec() + message.arguments() + filter + message.flags();
        return new TraceLine(TraceLine.translated(line, point.position(), spec), Optional.of(message.message()));
    }

    private void statement(BpftraceOperands values, MessageTranslator message) {
        Token name = line.next();
        if (!name.isWord("printf")) {
            throw refuse(name);
        }
        line.expect("(", "after printf");
        Token format = line.next();
        if (format.kind() != Token.Kind.STRING) {
            throw line.failAt(format.position(), "expected a \"format\", not " + format.shown());
        }
        List<Operand> printed = new ArrayList<>();
        while (line.take(",")) {
            printed.add(values.read());
        }
        Token close = line.peek();
        if (!line.take(")")) {
            throw line.failAt(
                    close.position(),
                    "expected ',' or ')', not " + close.shown() + ": only plain values can be printed, no expressions");
        }
        message.add(new PrintfFormat(line, format, PLAIN_SIZE_BYTES).parse(), printed, format.position());
        if (!line.peek().is("}")) {
            line.expect(";", "after printf(...)");
        }
    }

    private LineSyntaxException refuse(Token token) {
        String text = token.text();
        if (token.kind() == Token.Kind.WORD && text.startsWith("@")) {
            return line.failAt(token.position(), NO_MAPS);
        }
        if (token.kind() == Token.Kind.WORD && text.startsWith("$")) {
            return line.failAt(token.position(), NO_VARIABLES);
        }
        String instead = switch (text) {
            case "exit" -> "; use the option -M to end after a number of lines";
            case "time", "strftime" -> "; use the option -T for the time of day, or the value nsecs";
            case "if", "unless" -> "; use a /condition/ before the braces";
            case "print", "clear", "zero", "delete" -> "; use hist for counts and histograms";
            default -> "; the only supported statement is printf(\"...\", ...)";
        };
        return line.failAt(token.position(), token.shown() + " is not supported" + instead);
    }
}
