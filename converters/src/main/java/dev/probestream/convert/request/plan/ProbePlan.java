package dev.probestream.convert.request.plan;

import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What the hits of a probe mean, and where in an event the arguments are that matter. */
public final class ProbePlan {
    private static final int ABSENT = -1;

    /** uv.h, enum uv_handle_type */
    private static final int UV_NAMED_PIPE = 7;

    private static final int UV_TCP = 12;

    /** Of {@code Event.unavailable}: the bits below it stand for arguments, this one for the return value. */
    private static final int RESULT_BIT = 63;

    private final @Nullable Role role;
    private final int[] columns = new int[Field.values().length];
    private final long[] bits = new long[columns.length];
    private final boolean hasReturnValue;
    private Map<String, String> databases = Map.of();
    private FlowStep flow = FlowStep.NONE;
    private int flowColumn = ABSENT;
    private long flowBit;

    private ProbePlan(@Nullable Role role, Probe probe) {
        this.role = role;
        this.hasReturnValue = !probe.getReturnType().isEmpty();
        Arrays.fill(columns, ABSENT);
        int numbers = 0;
        int texts = 0;
        for (Argument argument : probe.getArguments()) {
            int place = numbers + texts;
            boolean isText = isText(argument.getType());
            add(argument, isText, isText ? texts++ : numbers++, place < RESULT_BIT ? 1L << place : 0);
        }
    }

    private void add(Argument argument, boolean isText, int column, long bit) {
        Field field = Field.of(argument.getName(), isText);
        if (field != null) {
            columns[field.slot()] = column;
            bits[field.slot()] = bit;
        }
        if (field == Field.PROTOCOL) {
            databases = Map.copyOf(argument.getLabels());
        }
        if (!isText && flow == FlowStep.NONE && argument.getFlow() != FlowStep.NONE) {
            flow = argument.getFlow();
            flowColumn = column;
            flowBit = bit;
        }
    }

    /** Empty = the probe's hits mean nothing in themselves: they belong to whatever is going on. */
    public static Optional<ProbePlan> of(Probe probe) {
        ProbePlan plan = new ProbePlan(Role.ofSpelling(probe.getRole()).orElse(null), probe);
        return plan.role == null && plan.flow == FlowStep.NONE && !plan.hasContext()
                ? Optional.empty()
                : Optional.of(plan);
    }

    /** Text types are {@code str} and {@code char[N]} (see {@code Argument} in the schema). */
    private static boolean isText(String type) {
        return type.equals("str") || type.startsWith("char[");
    }

    /** Null = only {@link #flow} and the context count. */
    @Nullable
    public Role role() {
        return role;
    }

    /** Whether its hits have the number of bytes moved. */
    boolean countsBytes() {
        return hasReturnValue || columns[Field.BYTES.slot()] != ABSENT;
    }

    /** Whether the event has it. */
    public boolean has(Field field, EventView event) {
        int column = columns[field.slot()];
        return column != ABSENT
                && (event.unavailable() & bits[field.slot()]) == 0
                && column < (field.isText() ? event.stringCount() : event.numberCount());
    }

    public long number(Field field, EventView event, long otherwise) {
        return has(field, event) ? event.number(columns[field.slot()]) : otherwise;
    }

    /** "" = not recorded. */
    public String text(Field field, EventView event) {
        return has(field, event) ? event.string(columns[field.slot()]) : "";
    }

    /** How the database is spelled that speaks this protocol; the protocol's name where the probe does not say it. */
    public String database(String protocol) {
        return databases.getOrDefault(protocol, protocol);
    }

    /** Whether its hits have this argument, unless it cannot be read. */
    public boolean has(Field field) {
        return columns[field.slot()] != ABSENT;
    }

    /** Whether its hits have anything of the asynchronous context that they are in. */
    public boolean hasContext() {
        return has(Field.ASYNC_ID) || has(Field.CONTEXT) || has(Field.ASYNC_COUNTER);
    }

    /** Whether the loop begins to handle something, most of which a stream. */
    public boolean beginsHandling() {
        return role == Role.LOOP_CALLBACK;
    }

    /** Whether a callback begins with its hits, so that the context they are in is not its. */
    public boolean beginsCallback() {
        return has(Field.ASYNC_COUNTER)
                || beginsHandling()
                || role == Role.LOOP_POLL
                || role == Role.LOOP_PHASE
                || role == Role.POOL_WORK
                || role == Role.POOL_DONE;
    }

    public boolean hasReturnValue(EventView event) {
        return hasReturnValue && (event.unavailable() & 1L << RESULT_BIT) == 0;
    }

    /** How the first argument that takes part in flows does so. */
    public FlowStep flow() {
        return flow;
    }

    /** The pointer to the stream that the event's parser reads, itself or through a session; 0 = JavaScript feeds it, or unknown. */
    public long readFrom(EventView event) {
        if (has(Field.HANDLE) && !has(Field.HANDLE, event)) {
            return 0;
        }
        return number(isOfSocket(event) ? Field.STREAM : Field.BELOW, event, 0);
    }

    /** Whether what the event's parser reads is a stream of libuv, and not a session. */
    public boolean isOfSocket(EventView event) {
        long handle = number(Field.HANDLE, event, UV_TCP);
        return handle == UV_NAMED_PIPE || handle == UV_TCP;
    }

    /** The flow's id, mostly a pointer; 0 = not recorded. */
    public long flowValue(EventView event) {
        boolean isSaid = flow != FlowStep.NONE && (event.unavailable() & flowBit) == 0;
        return isSaid && flowColumn < event.numberCount() ? event.number(flowColumn) : 0;
    }
}
