package dev.probestream.collector.dialect;

import dev.probestream.collector.internal.expression.LineScanner;
import dev.probestream.collector.internal.expression.Operand;
import dev.probestream.collector.internal.expression.Token;
import dev.probestream.collector.probe.LineSyntaxException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The statements of a bpftrace program that only prints: {@code { printf("FORMAT"[, VALUE ...]); ... }}. */
final class BpftracePrint implements BpftraceProgram.Block<TraceLine> {
    /** bpftrace's integers have 64 bits, independent of the conversion. */
    private static final int PLAIN_SIZE_BYTES = Long.BYTES;

    @Override
    public TraceLine parse(
            LineScanner line, BpftraceProgram.AttachPoint point, String filter, BpftraceOperands values) {
        MessageTranslator message = new MessageTranslator(line, Message.Style.PLAIN, values.kept());
        int printed = 0;
        while (!line.take("}")) {
            if (line.peek().isWord("delete") && values.kept().isUsed()) {
                values.kept().delete(line.next(), values);
            } else if (!line.take(";")) {
                printed++;
                statement(line, values, message);
            }
        }
        if (printed == 0) {
            throw line.failAt(line.position() - 1, "empty block: expected printf(\"...\", ...)");
        }
        String spec = values.kept().spec(point, message.arguments(), filter) + message.flags();
        return new TraceLine(TraceLine.translated(line, point.position(), spec), Optional.of(message.message()));
    }

    private static void statement(LineScanner line, BpftraceOperands values, MessageTranslator message) {
        Token name = line.next();
        if (!name.isWord("printf")) {
            throw refuse(line, name);
        }
        line.expect("(", "after printf");
        Token format = line.next();
        if (format.kind() != Token.Kind.STRING) {
            throw line.failAt(format.position(), "expected a \"format\", not " + format.shown());
        }
        List<Operand> printed = new ArrayList<>();
        while (line.take(",")) {
            printed.add(message.read(values));
        }
        Token close = line.peek();
        if (!line.take(")")) {
            throw line.failAt(
                    close.position(),
                    "expected ',' or ')', not " + close.shown()
                            + ": a printed value is computed with + - * / % and parentheses");
        }
        message.add(new PrintfFormat(line, format, PLAIN_SIZE_BYTES).parse(), printed, format.position());
        if (!line.peek().is("}")) {
            line.expect(";", "after printf(...)");
        }
    }

    private static LineSyntaxException refuse(LineScanner line, Token token) {
        String text = token.text();
        if (token.kind() == Token.Kind.WORD && text.startsWith("@")) {
            return line.failAt(token.position(), BpftraceProgram.NO_MAPS);
        }
        if (token.kind() == Token.Kind.WORD && text.startsWith("$")) {
            return line.failAt(token.position(), BpftraceProgram.NO_VARIABLES);
        }
        String instead = switch (text) {
            case "exit" -> "; use the option -M to end after a number of lines";
            case "time", "strftime" -> "; use the option -T for the time of day, or the value nsecs";
            case "join" -> "; record --probes syscalls has the arguments of execve; str(args.filename) is the program";
            case "cat", "system", "signal", "override" -> ": no command is run and no process is changed";
            case "if", "unless" -> "; use a /condition/ before the braces";
            case "print" -> "; use printf(\"...\\n\", ...), or hist for maps";
            case "clear", "zero", "delete" -> "; use hist for counts and histograms";
            default -> "; the only supported statement is printf(\"...\", ...)";
        };
        return line.failAt(token.position(), token.shown() + " is not supported" + instead);
    }
}
