package dev.probestream.convert.shape;

import dev.probestream.schema.record.FlowStep;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A probe as the events of a capture need it: what a slice is called, and what its arguments mean. */
public final class ProbeShape {
    /** What the collector calls the samples of the cpu, however often they were taken. */
    private static final String CPU_SAMPLES = "profile";

    private final int index;
    private final String name;
    private final int nameIndex;
    private final String category;
    private final int categoryIndex;
    private final ArgumentShape[] arguments;
    private final @Nullable ArgumentShape result;
    private final boolean hasFlows;
    private final boolean isStandIn;

    public ProbeShape(
            int index,
            String name,
            int nameIndex,
            String category,
            int categoryIndex,
            List<ArgumentShape> arguments,
            @Nullable ArgumentShape result,
            boolean isStandIn) {
        this.index = index;
        this.name = name;
        this.nameIndex = nameIndex;
        this.category = category;
        this.categoryIndex = categoryIndex;
        this.arguments = arguments.toArray(new ArgumentShape[0]);
        this.result = result;
        this.hasFlows = arguments.stream().anyMatch(argument -> argument.flow() != FlowStep.NONE);
        this.isStandIn = isStandIn;
    }

    /** Counts the probes of all captures from 0. */
    public int index() {
        return index;
    }

    public String name() {
        return name;
    }

    /** Of its name among those of all probes. */
    public int nameIndex() {
        return nameIndex;
    }

    public String category() {
        return category;
    }

    /** Of its category among those of all probes. */
    public int categoryIndex() {
        return categoryIndex;
    }

    public int argumentCount() {
        return arguments.length;
    }

    public ArgumentShape argument(int index) {
        return arguments[index];
    }

    /** What the return value means, if one is recorded. */
    public Optional<ArgumentShape> result() {
        return Optional.ofNullable(result);
    }

    @Nullable
    public ArgumentShape resultOrNull() {
        return result;
    }

    /** Whether its hits are not events of the program but samples of what runs on the cpus. */
    public boolean isCpuSample() {
        return category.equals(CPU_SAMPLES);
    }

    public boolean hasFlows() {
        return hasFlows;
    }

    /** The recording does not describe it. */
    public boolean isStandIn() {
        return isStandIn;
    }
}
