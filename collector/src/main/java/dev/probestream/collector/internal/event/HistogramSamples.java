package dev.probestream.collector.internal.event;

import dev.probestream.bpf.ring.SampleHandler;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.RecordType;
import java.nio.ByteBuffer;

/** Reads the ring of a count in the kernel: the task lifecycle, and each stack that is new. No hit has a sample of its own. */
public final class HistogramSamples implements SampleHandler {
    private final TaskLifecycleSamples tasks;
    private final StackHandler stacks;

    /** Receives new stacks, on the thread that reads the ring. */
    @FunctionalInterface
    public interface StackHandler {
        /**
         * Takes a sample as {@code HistogramStackLayout} draws it.
         *
         * @param buffer borrowed for the call
         * @param offset of the sample
         */
        void stack(ByteBuffer buffer, int offset);
    }

    public HistogramSamples(TaskLifecycleListener tasks, StackHandler stacks) {
        this.tasks = new TaskLifecycleSamples(tasks);
        this.stacks = stacks;
    }

    @Override
    public void sample(ByteBuffer buffer, int offset, int lengthBytes) {
        RecordType type =
                RecordType.ofCode(Short.toUnsignedInt(buffer.getShort(offset + EventLayout.RECORD_TYPE_OFFSET)));
        if (type == RecordType.EVENT) {
            stacks.stack(buffer, offset);
        } else {
            tasks.sample(type, buffer, offset);
        }
    }
}
