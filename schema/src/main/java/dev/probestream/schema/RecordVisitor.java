package dev.probestream.schema;

import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Clock;
import dev.probestream.schema.record.Loss;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Process;
import dev.probestream.schema.record.Stack;
import dev.probestream.schema.record.Thread;
import org.apache.avro.specific.SpecificRecord;

/**
 * Has a method for each kind of record that stands beside the events. A method that is not overridden ignores its
 * records.
 *
 * @param <E> what the methods may throw; {@link RuntimeException} for nothing checked
 */
public interface RecordVisitor<E extends Exception> {
    default void capture(Capture capture) throws E {}

    default void probe(Probe probe) throws E {}

    default void process(Process process) throws E {}

    default void thread(Thread thread) throws E {}

    default void stack(Stack stack) throws E {}

    default void clock(Clock clock) throws E {}

    default void loss(Loss loss) throws E {}

    default void captureEnd(CaptureEnd captureEnd) throws E {}

    /**
     * Calls the visitor's method for the kind of the record.
     *
     * @throws IllegalArgumentException if the record is an event, or a part of another record
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
        } else if (record instanceof Loss loss) {
            visitor.loss(loss);
        } else if (record instanceof CaptureEnd captureEnd) {
            visitor.captureEnd(captureEnd);
        } else {
            throw new IllegalArgumentException("cannot visit a "
                    + record.getSchema().getFullName() + ": it is not a record of a capture's metadata");
        }
    }
}
