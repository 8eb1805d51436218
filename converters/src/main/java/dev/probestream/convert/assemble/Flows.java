package dev.probestream.convert.assemble;

import dev.probestream.convert.shape.LongMap;
import dev.probestream.schema.record.FlowStep;
import org.jspecify.annotations.Nullable;

/**
 * Gives the flows of a recording numbers. An argument's value (mostly a pointer) distinguishes the events of one flow from those
 * of others only while the flow lasts: after its end, or when it starts once more, the value belongs to another flow.
 *
 * <p>Flows that were started and never ended are forgotten, those that rested longest first: at most {@value #LIMIT} to twice as many are
 * known at a time.
 */
final class Flows {
    static final int LIMIT = 1 << 15;

    /** No flow: it ends here, but was never seen before. */
    static final long NONE = 0;

    /** A flow's key is the process and the value; its place in the map is a mix of both. */
    private static final class Flow {
        private final int process;
        private final long value;
        private long number;

        Flow(int process, long value) {
            this.process = process;
            this.value = value;
        }
    }

    private LongMap<Flow> young = new LongMap<>();
    private LongMap<Flow> old = new LongMap<>();
    private final Numbers numbers;
    private FlowStep step = FlowStep.NONE;

    Flows(Numbers numbers) {
        this.numbers = numbers;
    }

    /** The flow's number, 1 and up; {@link #step} is then the event's role in it. */
    long number(int process, long value, FlowStep asked) {
        Flow flow = find(process, value);
        boolean isKnown = flow != null && flow.number != NONE;
        if (asked == FlowStep.END) {
            step = FlowStep.END;
            if (!isKnown || flow == null) {
                return NONE;
            }
            long number = flow.number;
            flow.number = NONE;
            return number;
        }
        if (isKnown && flow != null && asked == FlowStep.STEP) {
            step = FlowStep.STEP;
            return flow.number;
        }
        step = FlowStep.START;
        if (flow == null) {
            flow = add(process, value);
        }
        flow.number = numbers.next();
        return flow.number;
    }

    /** The number of a flow that goes on, or {@link #NONE}; leaves it as it is. */
    long numberIfKnown(int process, long value) {
        Flow flow = find(process, value);
        return flow == null ? NONE : flow.number;
    }

    /** What the event of the last {@link #number} is to its flow: the first one seen starts it. */
    FlowStep step() {
        return step;
    }

    private static long key(int process, long value) {
        return value ^ (long) process << 48;
    }

    private @Nullable Flow find(int process, long value) {
        long key = key(process, value);
        Flow flow = young.get(key);
        if (flow == null) {
            flow = old.get(key);
            if (flow != null) {
                put(flow); // it goes on, so it is not forgotten yet
            }
        }
        return flow != null && flow.process == process && flow.value == value ? flow : null;
    }

    private Flow add(int process, long value) {
        Flow flow = new Flow(process, value);
        put(flow);
        return flow;
    }

    private void put(Flow flow) {
        if (young.size() >= LIMIT) {
            old = young;
            young = new LongMap<>();
        }
        young.put(key(flow.process, flow.value), flow);
    }

    /** Counts the flows of a trace, whatever they join. */
    static final class Numbers {
        private long last;

        long next() {
            return ++last;
        }
    }
}
