package dev.probestream.convert.timeline;

import dev.probestream.convert.intake.EventBatch;
import dev.probestream.convert.request.RequestAssembler;
import dev.probestream.convert.shape.ArgumentShape;
import dev.probestream.convert.shape.ArgumentSink;
import dev.probestream.convert.shape.ProbeShape;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An event in its place on the timeline. Borrowed: valid for the call that it is handed to. */
public final class TraceEvent {
    private static final byte[] STILL_OPEN = utf8("had not ended when the capture ended");
    private static final byte[] END_NOT_SEEN =
            utf8("its end was not seen; it is drawn up to the end of the span around it");
    private static final byte[] NOT_WATCHED =
            utf8("was not watched to its end; it is drawn up to where the gap begins");
    private static final int RESULT_BIT = 63;

    /** {@link #stackIndex} of an event without a stack. */
    public static final int NO_STACK = -1;

    private final Timeline timeline;
    private final EventView view;

    private @Nullable ProbeShape probe;
    private @Nullable ThreadTrack thread;
    private int lane;
    private long startNs;
    private long endNs;
    private boolean isIncomplete;
    private boolean isUntilGap;
    private int stackIndex;
    private long request;
    private int flowCount;
    private long[] flowNumbers = new long[4];
    private FlowStep[] flowSteps = new FlowStep[4];

    public TraceEvent(Timeline timeline, EventView view) {
        this.timeline = timeline;
        this.view = view;
    }

    private static byte[] utf8(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    public void set(ThreadTrack thread, ProbeShape probe, long startNs, long endNs, int stackIndex) {
        this.thread = thread;
        this.probe = probe;
        this.startNs = startNs;
        this.endNs = endNs;
        this.stackIndex = stackIndex;
        lane = 0;
        isIncomplete = false;
        request = RequestAssembler.NONE;
        flowCount = 0;
    }

    public void setRequest(long number) {
        request = number;
    }

    /** The span stands on that lane and, where it is, ends then. */
    public void setPlace(int lane, long endNs) {
        this.lane = lane;
        isIncomplete = this.endNs == EventBatch.OPEN || view.kind() == EventKind.OPEN_SPAN;
        isUntilGap = isIncomplete && this.endNs != EventBatch.OPEN && view.durationNs() != 0;
        this.endNs = endNs;
    }

    public void addFlow(long number, FlowStep step) {
        if (flowCount == flowNumbers.length) {
            flowNumbers = Arrays.copyOf(flowNumbers, 2 * flowCount);
            flowSteps = Arrays.copyOf(flowSteps, 2 * flowCount);
        }
        flowNumbers[flowCount] = number;
        flowSteps[flowCount++] = step;
    }

    /** Its probe; a stand-in if the recording does not describe it. */
    public ProbeShape probe() {
        return Objects.requireNonNull(probe);
    }

    public ThreadTrack thread() {
        return Objects.requireNonNull(thread);
    }

    /** 0 = on the thread's own track; else on one of its tracks for overlapping spans. */
    public int lane() {
        return lane;
    }

    /** On the trace's clock. */
    public long startNs() {
        return startNs;
    }

    /** On the trace's clock; of a span that {@link #isOpen} the end of the timeline. */
    public long endNs() {
        return isOpen() ? timeline.endNs() : endNs;
    }

    /** Whether it is a span that never ended. */
    public boolean isOpen() {
        return endNs == EventBatch.OPEN;
    }

    /** Whether the span's end is not the recorded one: it is open, or was cut off with the span around it. */
    public boolean isIncomplete() {
        return isIncomplete;
    }

    /** On which it happened, of a span on which it began. */
    public int cpu() {
        return view.cpu();
    }

    /** In the {@link StackTable} of its capture, or {@link #NO_STACK}. */
    public int stackIndex() {
        return stackIndex;
    }

    /** In how many flows it takes part. */
    public int flowCount() {
        return flowCount;
    }

    /** Unique in the trace; counts from 1. */
    public long flowNumber(int index) {
        return flowNumbers[index];
    }

    /** Never NONE; the first event of each flow is its START. */
    public FlowStep flowStep(int index) {
        return flowSteps[index];
    }

    /** Hands the arguments, the result, the request it belongs to, and why the span is incomplete to {@code sink}. */
    public void showArguments(ArgumentSink sink) {
        ProbeShape shape = probe();
        for (int i = 0; i < shape.argumentCount(); i++) {
            show(shape.argument(i), i, sink);
        }
        ArgumentShape result = shape.resultOrNull();
        if (result != null && !isIncomplete && view.kind() != EventKind.OPEN_SPAN) {
            if (isUnavailable(RESULT_BIT)) {
                result.showUnavailable(sink);
            } else {
                result.show(view.returnValue(), sink);
            }
        }
        RequestShapes requests = timeline.requestShapes();
        if (request != RequestAssembler.NONE && requests != null) {
            sink.signed(requests.request, request);
        }
        if (isIncomplete) {
            byte[] reason = isUntilGap ? NOT_WATCHED : isOpen() ? STILL_OPEN : END_NOT_SEEN;
            sink.text(timeline.incomplete(), reason, 0, reason.length);
        }
    }

    private void show(ArgumentShape argument, int index, ArgumentSink sink) {
        if (isUnavailable(index)) {
            argument.showUnavailable(sink);
        } else if (argument.isText()) {
            int string = argument.position();
            if (string < view.stringCount()) {
                sink.text(argument, view.buffer(), view.stringOffset(string), view.stringLengthBytes(string));
            }
        } else if (argument.position() < view.numberCount()) {
            argument.show(view.number(argument.position()), sink);
        }
    }

    /** Whether a counter's argument is a number that could be read. */
    public boolean hasNumber(int argumentIndex) {
        ArgumentShape argument = probe().argument(argumentIndex);
        return !argument.isText() && argument.position() < view.numberCount() && !isUnavailable(argumentIndex);
    }

    /** The number of an argument that {@link #hasNumber}. */
    public long number(int argumentIndex) {
        return view.number(probe().argument(argumentIndex).position());
    }

    private boolean isUnavailable(int bit) {
        return bit <= RESULT_BIT && (view.unavailable() >>> bit & 1) != 0;
    }
}
