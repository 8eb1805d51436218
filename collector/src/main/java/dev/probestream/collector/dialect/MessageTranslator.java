package dev.probestream.collector.dialect;

import dev.probestream.collector.dialect.Message.Part.Source;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.internal.expression.LineScanner;
import dev.probestream.collector.internal.expression.Operand;
import dev.probestream.collector.internal.expression.Token;
import dev.probestream.collector.internal.expression.TypeNames;
import dev.probestream.collector.internal.expression.ValueTranslator;
import dev.probestream.collector.probe.IntegerOperation;
import java.util.ArrayList;
import java.util.List;

/** Combines formats with their values, and collects the arguments that must be recorded for them. */
final class MessageTranslator {
    private final LineScanner line;
    private final Message.Style style;
    private final KeptValues kept;
    private final RecordedArguments recorded;
    private final List<Message.Part> parts = new ArrayList<>();
    private boolean userStack;
    private boolean kernelStack;

    MessageTranslator(LineScanner line, Message.Style style) {
        this(line, style, KeptValues.none(line));
    }

    /** @param kept what another probe of a bpftrace program kept for the message */
    MessageTranslator(LineScanner line, Message.Style style, KeptValues kept) {
        this.line = line;
        this.style = style;
        this.kept = kept;
        this.recorded = new RecordedArguments(kept);
    }

    /** Reads a value to print, which may be computed: {@code (arg2 - arg1) / 1000}. */
    Operand read(Operand.Reader values) {
        Token first = line.peek();
        int start = first.position();
        if (!first.is("(") || TypeNames.isNext(line)) {
            Operand value = values.read();
            Token next = line.peek();
            boolean isComputed = next.kind() == Token.Kind.SIGN
                    && IntegerOperation.ofSign(next.text()).isPresent();
            if (!isComputed) {
                return value;
            }
            line.moveTo(start);
        }
        String text = new ValueTranslator(line, values, this::recordedName).translate();
        return new Operand(Operand.Kind.COMPUTED, text, "", 0, start);
    }

    private String recordedName(Operand value) {
        if (value.kind() == Operand.Kind.DURATION) {
            return HistogramSpec.DURATION;
        }
        boolean isField = value.kind() == Operand.Kind.FIELD;
        if (!isField && value.kind() != Operand.Kind.ARGUMENT) {
            throw line.failAt(
                    value.position(),
                    "only arguments, fields and returned values are computed with, not "
                            + value.kind().word());
        }
        String type = !value.type().isEmpty() ? value.type() : isField ? "" : "s64";
        if (value.source().startsWith(Operand.KEPT_MARK)) {
            return kept.record(value.source(), type);
        }
        return recorded.name(recorded.add(value.source(), type, isField));
    }

    /** Appends a format with its values. */
    void add(PrintfFormat format, List<Operand> values, int position) {
        if (values.size() != format.conversions().size()) {
            throw line.failAt(
                    position,
                    "the format has " + format.conversions().size() + " conversions, but there are " + values.size()
                            + " values");
        }
        for (int i = 0; i < values.size(); i++) {
            literal(format.texts().get(i));
            parts.add(part(values.get(i), format.conversions().get(i)));
        }
        literal(format.texts().get(values.size()));
    }

    Message message() {
        return new Message(
                style, kept.isUsed() ? parts.stream().map(this::ofSpan).toList() : parts);
    }

    /** The arguments of a span are those of its begin, then those of its end, of which what was returned is the last. */
    private Message.Part ofSpan(Message.Part part) {
        return switch (part.source()) {
            case ARGUMENT ->
                part.text().isEmpty()
                        ? at(part, kept.beginArguments() + part.argument())
                        : at(part, kept.indexOf(part.text()));
            case RETURN_VALUE -> at(part, kept.beginArguments() + recorded.count());
            case COMPUTED,
                    PID,
                    TID,
                    UID,
                    CPU,
                    COMM,
                    TIMESTAMP,
                    ELAPSED,
                    PROBE,
                    FUNCTION,
                    USER_STACK,
                    KERNEL_STACK,
                    NUMBER,
                    LITERAL -> part;
        };
    }

    private static Message.Part at(Message.Part part, int argument) {
        return new Message.Part(Source.ARGUMENT, argument, "", part.number(), part.conversion());
    }

    /** The list of arguments in the syntax of a probe spec. */
    String arguments() {
        return recorded.list();
    }

    /** The stacks that the message prints, as flags of a probe spec. */
    String flags() {
        return (userStack ? " [ustack]" : "") + (kernelStack ? " [kstack]" : "");
    }

    private void literal(String text) {
        if (!text.isEmpty()) {
            parts.add(Message.Part.literal(text));
        }
    }

    private Message.Part part(Operand given, PrintfConversion conversion) {
        Operand value = asText(given, conversion);
        if (value.isText() != conversion.isText() && value.kind() != Operand.Kind.FIELD) {
            throw line.failAt(value.position(), mismatch(value, conversion));
        }
        return switch (value.kind()) {
            case ARGUMENT -> recorded(value, value.type().isEmpty() ? conversion.type() : value.type(), conversion);
            case FIELD -> recorded(value, conversion.isText() ? "str" : "", conversion);
            case TEXT -> recorded(value, value.type(), conversion);
            case USER_STACK -> {
                userStack = true;
                yield plain(Source.USER_STACK, value, conversion);
            }
            case KERNEL_STACK -> {
                kernelStack = true;
                yield plain(Source.KERNEL_STACK, value, conversion);
            }
            case COMPUTED -> plain(Source.COMPUTED, value, conversion);
            case DURATION -> new Message.Part(Source.COMPUTED, 0, HistogramSpec.DURATION, 0, conversion);
            case PID -> plain(Source.PID, value, conversion);
            case TID -> plain(Source.TID, value, conversion);
            case UID -> plain(Source.UID, value, conversion);
            case CPU -> plain(Source.CPU, value, conversion);
            case COMM -> plain(Source.COMM, value, conversion);
            case TIMESTAMP -> time(Source.TIMESTAMP, value, conversion);
            case ELAPSED -> time(Source.ELAPSED, value, conversion);
            case PROBE -> plain(Source.PROBE, value, conversion);
            case FUNCTION -> plain(Source.FUNCTION, value, conversion);
            case NUMBER -> plain(Source.NUMBER, value, conversion);
            case LITERAL -> plain(Source.LITERAL, value, conversion);
        };
    }

    /** In bcc, an argument printed with %s is a pointer to text; bpftrace needs str(). */
    private Operand asText(Operand value, PrintfConversion conversion) {
        boolean isPointer = value.kind() == Operand.Kind.ARGUMENT
                && (value.type().isEmpty() || value.type().equals("ptr"))
                && style == Message.Style.COLUMNS;
        return isPointer && conversion.isText() ? Operand.text(value.source(), "str", value.position()) : value;
    }

    private String mismatch(Operand value, PrintfConversion conversion) {
        String is = value.isText() ? "text, which needs %s" : "a number, which needs %d, %u or %x";
        boolean isArgument = value.kind() == Operand.Kind.ARGUMENT && style == Message.Style.PLAIN;
        return "this value is " + is + ", but the conversion is %" + conversion.letter()
                + (isArgument ? "; use str(...) for the text at a pointer" : "");
    }

    private Message.Part recorded(Operand value, String type, PrintfConversion conversion) {
        if (value.source().startsWith(Operand.KEPT_MARK)) {
            return new Message.Part(Source.ARGUMENT, 0, kept.record(value.source(), type), value.number(), conversion);
        }
        int index = recorded.add(value.source(), type, value.kind() == Operand.Kind.FIELD);
        return index == RecordedArguments.RETURN_VALUE
                ? new Message.Part(Source.RETURN_VALUE, 0, "", 0, conversion)
                : new Message.Part(Source.ARGUMENT, index, "", value.number(), conversion);
    }

    /** The time of a span is that of its begin. */
    private Message.Part time(Source source, Operand value, PrintfConversion conversion) {
        if (kept.isUsed()) {
            throw line.failAt(
                    value.position(),
                    value.kind().word() + " alone is not supported where a span ends: print nsecs - @start[tid]");
        }
        return plain(source, value, conversion);
    }

    private static Message.Part plain(Source source, Operand value, PrintfConversion conversion) {
        return new Message.Part(source, 0, value.source(), value.number(), conversion);
    }
}
