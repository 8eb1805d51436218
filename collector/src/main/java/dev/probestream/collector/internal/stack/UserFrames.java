package dev.probestream.collector.internal.stack;

import dev.probestream.schema.record.Frame;
import java.util.ArrayList;
import java.util.List;

/**
 * Puts the user frames of a stack together, leaf first: the addresses one by one, with the named JavaScript frames in
 * their places.
 */
final class UserFrames {
    private static final String RUN_MICROTASKS = "Builtins_RunMicrotasks";

    private final NamedJavaScript javaScript;
    private final List<Frame> merged = new ArrayList<>();
    /** The number of addresses so far. */
    private int userFrame;
    /** Where in {@link #merged} the innermost JavaScript frame ends; 0 = there was none. */
    private int innermostEnd;

    UserFrames(NamedJavaScript javaScript) {
        this.javaScript = javaScript;
    }

    /** Whether the next address is that of a named JavaScript frame. */
    boolean isNextNamed() {
        return !javaScript.inPlaceOf(userFrame).isEmpty();
    }

    void addNamed() {
        addAll(javaScript.inPlaceOf(userFrame));
        endAddress();
    }

    void add(Frame frame) {
        merged.add(frame);
        endAddress();
    }

    private void endAddress() {
        addAll(javaScript.after(userFrame));
        userFrame++;
    }

    private void addAll(List<Frame> frames) {
        merged.addAll(frames);
        innermostEnd = innermostEnd == 0 && !frames.isEmpty() ? merged.size() : innermostEnd;
    }

    /**
     * The frames. Async callers stand before the frame that runs microtasks, which called the innermost JavaScript; where
     * it is not in the stack, after the innermost JavaScript frame.
     */
    List<Frame> merged() {
        javaScript.beyond().forEach(this::addAll);
        List<Frame> all = new ArrayList<>(merged);
        all.addAll(asyncIndex(), javaScript.asyncCallers());
        return all;
    }

    private int asyncIndex() {
        for (int i = innermostEnd; i < merged.size(); i++) {
            if (merged.get(i).getSymbol().equals(RUN_MICROTASKS)) {
                return i;
            }
        }
        return innermostEnd;
    }
}
