package dev.probestream.collector.probe.preset;

import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSource.ContextValue;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What a probe of a preset records of the async context, behind its own arguments. */
enum PresetContext {
    /** {@code false}. */
    NONE(),
    /** {@code true}: what JavaScript calls, so that the context is that of its code. */
    CALL(
            ContextValue.ASYNC_ID,
            ContextValue.TRIGGER_ID,
            ContextValue.REQUEST,
            ContextValue.TRACE_ID,
            ContextValue.SPAN_ID,
            ContextValue.SERVED_STREAM),
    /** {@code callback}: where a callback begins; all async ids that its code gives are above the counter. */
    CALLBACK(ContextValue.ASYNC_ID, ContextValue.TRIGGER_ID, ContextValue.ASYNC_COUNTER),
    /** {@code counter}: likewise, for probes that have room for few arguments. */
    COUNTER(ContextValue.ASYNC_COUNTER);

    @SuppressWarnings("ImmutableEnumChecker") // an immutable list
    private final List<ContextValue> values;

    PresetContext(ContextValue... values) {
        this.values = List.of(values);
    }

    static PresetContext of(@Nullable String written) {
        if (written == null || written.equals("false")) {
            return NONE;
        }
        return switch (written) {
            case "true" -> CALL;
            case "callback" -> CALLBACK;
            case "counter" -> COUNTER;
            default -> throw new IllegalArgumentException("a preset has the context " + written);
        };
    }

    /** The same probe with these values. */
    ProbeSpec addTo(ProbeSpec spec) {
        if (values.isEmpty()) {
            return spec;
        }
        List<ArgumentSpec> arguments = new ArrayList<>(spec.arguments());
        values.forEach(value ->
                arguments.add(ArgumentSpec.of(value.argumentName(), ArgumentSource.context(value), value.type())));
        return spec.recording(arguments, UnaryOperator.identity());
    }

    /** What all values are called. */
    static Stream<String> argumentNames() {
        return Stream.of(ContextValue.values()).map(ContextValue::argumentName);
    }
}
