package dev.probestream.cli.hist.records;

import dev.probestream.cli.live.ValueReader;
import dev.probestream.collector.histogram.HistogramException;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.KeyValue;
import dev.probestream.collector.histogram.ValueExpression;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ArgumentType.Form;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.Probe;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Reads one part of a key of an event as a long: a number, the number of a text, or the id of a stack. */
final class KeyReader {
    private static final ArgumentType U32 = ArgumentType.number(Form.U32);
    private static final ArgumentType TEXT = ArgumentType.string(ArgumentType.DEFAULT_STRING_BYTES);

    /** What a part of a key is. */
    enum Source {
        PID,
        TID,
        CPU,
        COMM,
        PROBE,
        NUMBER,
        TEXT,
        STACK
    }

    private final Source source;
    private final ArgumentType type;
    private final String probeName;
    private final Optional<ValueReader> number;
    /** Of a text its index among the arguments and among the texts. */
    private final int argument;

    private final int place;
    /** Of a number the names of its values, by the value in decimal. */
    private final Map<String, String> names;

    private KeyReader(
            Source source,
            ArgumentType type,
            String probeName,
            Optional<ValueReader> number,
            int argument,
            int place,
            Map<String, String> names) {
        this.names = Map.copyOf(names);
        this.source = source;
        this.type = type;
        this.probeName = probeName;
        this.number = number;
        this.argument = argument;
        this.place = place;
    }

    /**
     * The reader of a key in the events of a probe.
     *
     * @throws HistogramException if the probe has no such value
     */
    static KeyReader of(HistogramSpec spec, String key, Probe probe) {
        List<Argument> arguments = probe.getArguments();
        int texts = 0;
        for (int i = 0; i < arguments.size(); i++) {
            boolean isText = ValueReader.type(arguments.get(i).getType()).isText();
            if (isText && arguments.get(i).getName().equals(key)) {
                return new KeyReader(Source.TEXT, TEXT, "", Optional.empty(), i, texts, Map.of());
            }
            texts += isText ? 1 : 0;
        }
        boolean isArgument =
                arguments.stream().anyMatch(argument -> argument.getName().equals(key));
        if (isArgument || key.equals(HistogramSpec.RET)) {
            ValueReader reader = ValueReader.of(ValueExpression.parse(key), probe);
            return new KeyReader(Source.NUMBER, reader.type(), "", Optional.of(reader), -1, -1, names(key, arguments));
        }
        if (spec.isStack(key)) {
            return builtin(Source.STACK, TEXT, "");
        }
        return switch (key) {
            case "pid" -> builtin(Source.PID, U32, "");
            case "tid" -> builtin(Source.TID, U32, "");
            case "cpu" -> builtin(Source.CPU, U32, "");
            case "comm" -> builtin(Source.COMM, TEXT, "");
            case "probe" -> builtin(Source.PROBE, TEXT, probe.getName());
            default -> throw new HistogramException(probe.getSpec() + " has no value " + key);
        };
    }

    private static Map<String, String> names(String key, List<Argument> arguments) {
        return arguments.stream()
                .filter(argument -> argument.getName().equals(key))
                .findFirst()
                .map(Argument::getLabels)
                .orElse(Map.of());
    }

    private static KeyReader builtin(Source source, ArgumentType type, String probeName) {
        return new KeyReader(source, type, probeName, Optional.empty(), -1, -1, Map.of());
    }

    Source source() {
        return source;
    }

    boolean isReadable(EventView event) {
        if (source == Source.TEXT) {
            return (event.unavailable() >>> argument & 1) == 0 && place < event.stringCount();
        }
        return number.isEmpty() || number.get().isReadable(event);
    }

    /** The part as a long; -1 if it is a text and there is no room for another. */
    long read(EventView event, String comm, TextTable texts) {
        return switch (source) {
            case PID -> event.pid();
            case TID -> event.tid();
            case CPU -> event.cpu();
            case COMM -> texts.number(comm);
            case PROBE -> texts.number(probeName);
            case NUMBER -> number.orElseThrow().value(event);
            case TEXT -> texts.number(event.buffer(), event.stringOffset(place), event.stringLengthBytes(place));
            case STACK -> event.stackId();
        };
    }

    boolean isText() {
        return source == Source.COMM || source == Source.PROBE || source == Source.TEXT;
    }

    /** The value of a part that was read; not of a stack. */
    KeyValue value(boolean isReadable, long part, TextTable texts) {
        if (!isReadable) {
            return KeyValue.unreadable(type);
        }
        return isText() ? KeyValue.text(type, texts.text((int) part)) : KeyValue.named(type, part, names);
    }
}
