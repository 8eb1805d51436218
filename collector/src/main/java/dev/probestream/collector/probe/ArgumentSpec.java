package dev.probestream.collector.probe;

import dev.probestream.schema.record.FlowStep;
import java.util.Map;
import java.util.OptionalLong;

/**
 * One argument to record at each hit.
 *
 * @param name what it is called in the output
 * @param source where the value comes from
 * @param addend added to the source's value before anything else is done with it: {@code arg1-336} is -336
 * @param dereferenceOffsetBytes when present, the value is a pointer and what is recorded lies this many bytes behind
 *     where it points: {@code *arg3:u32@+8}
 * @param type how the bytes are read
 * @param atReturn for a span: read when the function returns, from the addresses its arguments held at entry
 * @param unit as {@code Argument.unit} of the Avro schema: ns, bytes, count, errno, flags or ""
 * @param flow how the value ties events together
 * @param labels names for values, by the value in decimal
 */
public record ArgumentSpec(
        String name,
        ArgumentSource source,
        long addend,
        OptionalLong dereferenceOffsetBytes,
        ArgumentType type,
        boolean atReturn,
        String unit,
        FlowStep flow,
        Map<String, String> labels) {

    public ArgumentSpec {
        labels = Map.copyOf(labels);
    }

    /** A plain value: no arithmetic, no dereference, read at the hit. */
    public static ArgumentSpec of(String name, ArgumentSource source, ArgumentType type) {
        return new ArgumentSpec(name, source, 0, OptionalLong.empty(), type, false, "", FlowStep.NONE, Map.of());
    }

    /** The same argument with what only a preset can say about it. */
    ArgumentSpec described(String newUnit, FlowStep newFlow, Map<String, String> newLabels) {
        return new ArgumentSpec(
                name, source, addend, dereferenceOffsetBytes, type, atReturn, newUnit, newFlow, newLabels);
    }
}
