package dev.probestream.schema;

import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Cost;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.GapReason;
import dev.probestream.schema.record.HitSummary;
import dev.probestream.schema.record.Keyframe;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.ProbeCost;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Recording;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.avro.Schema;
import org.apache.avro.specific.SpecificData;
import org.jspecify.annotations.Nullable;

/**
 * Finds the generated classes of our own schemas, and of no others, without asking the JVM for a class by a name that
 * stands in a file. Avro's own look-up refuses classes outside its list of trusted packages, and that list is global.
 */
public final class RecordData extends SpecificData {
    /** By the full name of their schema, which is also theirs. */
    private static final Map<String, Class<?>> CLASSES = Stream.<Class<?>>of(
                    Recording.class,
                    Event.class,
                    EventKind.class,
                    Capture.class,
                    Probe.class,
                    Argument.class,
                    FlowStep.class,
                    Process.class,
                    Thread.class,
                    Stack.class,
                    Frame.class,
                    FrameKind.class,
                    Clock.class,
                    Keyframe.class,
                    Loss.class,
                    LossReason.class,
                    HitSummary.class,
                    Gap.class,
                    GapReason.class,
                    Cost.class,
                    ProbeCost.class,
                    CaptureEnd.class)
            .collect(Collectors.toUnmodifiableMap(Class::getName, Function.identity()));

    /** The only instance. */
    public static final RecordData INSTANCE = new RecordData();

    private RecordData() {
        super(Recording.class.getClassLoader());
        // The generated coders allocate by a count that may be damaged; the general ones check it against the remaining
        // bytes.
        setCustomCoders(false);
    }

    @Override
    public @Nullable Class<?> getClass(Schema schema) {
        return switch (schema.getType()) {
            case RECORD, ENUM, FIXED -> CLASSES.get(schema.getFullName());
            default -> super.getClass(schema);
        };
    }
}
