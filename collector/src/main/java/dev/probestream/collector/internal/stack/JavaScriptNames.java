package dev.probestream.collector.internal.stack;

import dev.probestream.schema.record.Frame;
import java.util.List;

/** Names JavaScript frames from the memory of their process. */
public interface JavaScriptNames {
    /** Names nothing. */
    JavaScriptNames NONE = new JavaScriptNames() {
        @Override
        public Named named(int pid, long leaf, JavaScriptEntries entries) {
            return Named.NOTHING;
        }

        @Override
        public void forget(int pid) {}
    };

    /**
     * Named frames, innermost first, of which all but the last were inlined.
     *
     * @param leaf the frames in place of the stack's innermost address; empty = it is named as other addresses are
     * @param frames the frames of each entry; an empty list for an entry without a name, or whose frame is the leaf's
     */
    record Named(List<Frame> leaf, List<List<Frame>> frames) {
        public static final Named NOTHING = new Named(List.of(), List.of());

        boolean isNothing() {
            return leaf.isEmpty() && frames.stream().allMatch(List::isEmpty);
        }
    }

    /**
     * Names the frames of one stack, as soon after it was taken as possible: what it refers to may move or go.
     *
     * @param leaf the innermost address of the stack, in the code that ran
     */
    Named named(int pid, long leaf, JavaScriptEntries entries);

    /** Discards what is known of a process that has ended or executes another program. */
    void forget(int pid);
}
