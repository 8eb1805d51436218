package dev.probestream.schema;

import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Cost;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.HitSummary;
import dev.probestream.schema.record.Keyframe;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import org.apache.avro.specific.SpecificRecord;

/**
 * Has a method for each kind of record that stands beside the events. A method that is not overridden passes its records to
 * {@link #record}, which ignores them unless it is overridden.
 *
 * @param <E> what the methods may throw; {@link RuntimeException} for nothing checked
 */
public interface RecordVisitor<E extends Exception> {
    /**
     * Takes the records of those kinds whose method is not overridden.
     *
     * @param record of any kind but Event
     * @throws E if the visitor does
     */
    default void record(SpecificRecord record) throws E {}

    /**
     * Takes the first record of a capture.
     *
     * @param capture the record
     * @throws E if the visitor does
     */
    default void capture(Capture capture) throws E {
        record(capture);
    }

    /**
     * Takes what was probed.
     *
     * @param probe the record
     * @throws E if the visitor does
     */
    default void probe(Probe probe) throws E {
        record(probe);
    }

    /**
     * Takes a process; later records of the same process add to it.
     *
     * @param process the record
     * @throws E if the visitor does
     */
    default void process(Process process) throws E {
        record(process);
    }

    /**
     * Takes a thread; later records of the same thread add to it.
     *
     * @param thread the record
     * @throws E if the visitor does
     */
    default void thread(Thread thread) throws E {
        record(thread);
    }

    /**
     * Takes a stack; it may come again.
     *
     * @param stack the record
     * @throws E if the visitor does
     */
    default void stack(Stack stack) throws E {
        record(stack);
    }

    /**
     * Takes a reading of the clocks.
     *
     * @param clock the record
     * @throws E if the visitor does
     */
    default void clock(Clock clock) throws E {
        record(clock);
    }

    /**
     * Takes a place at which a reader can begin. Who has begun before it knows what is in it.
     *
     * @param keyframe the record
     * @throws E if the visitor does
     */
    default void keyframe(Keyframe keyframe) throws E {
        record(keyframe);
    }

    /**
     * Takes a count of lost hits.
     *
     * @param loss the record
     * @throws E if the visitor does
     */
    default void loss(Loss loss) throws E {
        record(loss);
    }

    /**
     * Takes the hits of a probe on a thread in an interval.
     *
     * @param summary the record
     * @throws E if the visitor does
     */
    default void hitSummary(HitSummary summary) throws E {
        record(summary);
    }

    /**
     * Takes a time in which probes were not watched.
     *
     * @param gap the record
     * @throws E if the visitor does
     */
    default void gap(Gap gap) throws E {
        record(gap);
    }

    /**
     * Takes what the probes cost in an interval.
     *
     * @param cost the record
     * @throws E if the visitor does
     */
    default void cost(Cost cost) throws E {
        record(cost);
    }

    /**
     * Takes the last record of a capture.
     *
     * @param captureEnd the record
     * @throws E if the visitor does
     */
    default void captureEnd(CaptureEnd captureEnd) throws E {
        record(captureEnd);
    }

    /**
     * Calls the visitor's method for the kind of the record.
     *
     * @param <E> what the visitor's methods may throw
     * @param record of any kind but Event
     * @param visitor takes it
     * @throws IllegalArgumentException if the record is an event, or a part of another record
     * @throws E if the visitor does
     */
    static <E extends Exception> void visit(SpecificRecord record, RecordVisitor<E> visitor) throws E {
        if (record instanceof Capture capture) {
            visitor.capture(capture);
        } else if (record instanceof Probe probe) {
            visitor.probe(probe);
        } else if (record instanceof Process process) {
            visitor.process(process);
        } else if (record instanceof Thread thread) {
            visitor.thread(thread);
        } else if (record instanceof Stack stack) {
            visitor.stack(stack);
        } else if (record instanceof Clock clock) {
            visitor.clock(clock);
        } else if (record instanceof Keyframe keyframe) {
            visitor.keyframe(keyframe);
        } else if (record instanceof Loss loss) {
            visitor.loss(loss);
        } else if (record instanceof HitSummary summary) {
            visitor.hitSummary(summary);
        } else if (record instanceof Gap gap) {
            visitor.gap(gap);
        } else if (record instanceof Cost cost) {
            visitor.cost(cost);
        } else if (record instanceof CaptureEnd captureEnd) {
            visitor.captureEnd(captureEnd);
        } else {
            throw new IllegalArgumentException("cannot visit a "
                    + record.getSchema().getFullName() + ": it is not a record of a capture's metadata");
        }
    }
}
