package dev.probestream.schema;

import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.LossReason;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Recording;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The generated classes by the full name of their schema, which is also theirs. */
final class RecordClasses {
    private static final Map<String, Class<?>> BY_NAME = Stream.<Class<?>>of(
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
                    Loss.class,
                    LossReason.class,
                    CaptureEnd.class)
            .collect(Collectors.toUnmodifiableMap(Class::getName, Function.identity()));

    private RecordClasses() {}

    static @Nullable Class<?> named(String fullName) {
        return BY_NAME.get(fullName);
    }
}
