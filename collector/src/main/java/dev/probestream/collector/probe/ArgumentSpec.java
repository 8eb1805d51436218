package dev.probestream.collector.probe;

import dev.probestream.schema.record.FlowStep;
import java.util.List;
import java.util.Map;

/**
 * One argument to record at each hit.
 *
 * @param name what it is called in the output
 * @param source where the value comes from
 * @param addend added to the source's value before anything else is done with it: {@code arg1-336} is -336
 * @param dereferenceOffsetsBytes unless empty, the value is a pointer: at this many bytes behind where it points lies the
 *     next pointer, and behind the last of the offsets what is recorded: {@code *arg3:u32@+8}, {@code *arg3:u32@+16@+8}
 * @param type how the bytes are read
 * @param atReturn for a span: read when the function returns, from the addresses its arguments held at entry
 * @param unit as {@code Argument.unit} of the Avro schema: ns, bytes, count, errno, flags or ""
 * @param flow how the value ties events together
 * @param labels names for values, by the value in decimal
 * @param textRule what of a text may be recorded; of a number {@link TextRule#PLAIN}
 */
public record ArgumentSpec(
        String name,
        ArgumentSource source,
        long addend,
        List<Long> dereferenceOffsetsBytes,
        ArgumentType type,
        boolean atReturn,
        String unit,
        FlowStep flow,
        Map<String, String> labels,
        TextRule textRule) {

    /** The name of the number that identifies the parser which a {@link TextRule#URL_PIECE} belongs to. */
    public static final String PARSER = "parser";

    /** Checks the values. */
    public ArgumentSpec {
        dereferenceOffsetsBytes = List.copyOf(dereferenceOffsetsBytes);
        labels = Map.copyOf(labels);
    }

    /**
     * {@return a plain value: no arithmetic, no dereference, read at the hit}
     *
     * @param name in the recording
     * @param source where it is
     * @param type how it is read
     */
    public static ArgumentSpec of(String name, ArgumentSource source, ArgumentType type) {
        return new ArgumentSpec(name, source, 0, List.of(), type, false, "", FlowStep.NONE, Map.of(), TextRule.PLAIN);
    }

    /** {@return whether it is found by the running thread: its async context, or a stream of its event loop} */
    public boolean isOfThread() {
        return source.kind() == ArgumentSource.Kind.CONTEXT || type.form().isOfLoop();
    }

    /**
     * {@return the same argument of another type}
     *
     * @param newType how it is read
     */
    public ArgumentSpec ofType(ArgumentType newType) {
        return new ArgumentSpec(
                name, source, addend, dereferenceOffsetsBytes, newType, atReturn, unit, flow, labels, textRule);
    }

    /**
     * {@return the same argument under another name}
     *
     * @param newName in the recording
     */
    public ArgumentSpec named(String newName) {
        return new ArgumentSpec(
                newName, source, addend, dereferenceOffsetsBytes, type, atReturn, unit, flow, labels, textRule);
    }

    /**
     * {@return the same argument, read at the return or not}
     *
     * @param isAtReturn whether it is read when the function returns
     */
    public ArgumentSpec readAtReturn(boolean isAtReturn) {
        return new ArgumentSpec(
                name, source, addend, dereferenceOffsetsBytes, type, isAtReturn, unit, flow, labels, textRule);
    }

    /**
     * {@return the name of a thread, which a program chooses and which is masked as an argument is}
     *
     * @param name of the argument and of the field that holds it
     * @param sizeBytes of the field
     */
    public static ArgumentSpec ofThreadName(String name, int sizeBytes) {
        return of(name, ArgumentSource.field(name), ArgumentType.chars(sizeBytes))
                .described("", FlowStep.NONE, Map.of(), TextRule.ARGUMENT);
    }

    /** {@return whether it lies in memory that the source points to} */
    public boolean isDereferenced() {
        return !dereferenceOffsetsBytes.isEmpty();
    }

    /**
     * {@return the same argument with what only a preset can say about it}
     *
     * @param newUnit as in the Argument record
     * @param newFlow how the value ties events together
     * @param newLabels names for values, by the value in decimal
     * @param newRule what of a text may be recorded
     */
    public ArgumentSpec described(String newUnit, FlowStep newFlow, Map<String, String> newLabels, TextRule newRule) {
        return new ArgumentSpec(
                name, source, addend, dereferenceOffsetsBytes, type, atReturn, newUnit, newFlow, newLabels, newRule);
    }

    /**
     * {@return the same argument in this unit, such as {@code ns}}
     *
     * @param newUnit as in the Argument record
     */
    public ArgumentSpec measuredIn(String newUnit) {
        return described(newUnit, flow, labels, textRule);
    }

    /**
     * {@return the same argument with names for its values}
     *
     * @param newLabels by the value in decimal
     */
    public ArgumentSpec labelled(Map<String, String> newLabels) {
        return described(unit, flow, newLabels, textRule);
    }

    /** {@return the value alone, without what only a reader of the recording sees} */
    public ArgumentSpec undescribed() {
        return described("", FlowStep.NONE, Map.of(), TextRule.PLAIN).named("");
    }
}
