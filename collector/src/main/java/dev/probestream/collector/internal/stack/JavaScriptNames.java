package dev.probestream.collector.internal.stack;

import dev.probestream.schema.record.Frame;
import java.util.List;

/** Names JavaScript frames from the memory of their process. */
public interface JavaScriptNames {
    /** Names nothing. */
    JavaScriptNames NONE = new JavaScriptNames() {
        @Override
        public List<List<Frame>> named(int pid, long leaf, JavaScriptEntries entries) {
            return List.of();
        }

        @Override
        public void forget(int pid) {}
    };

    /**
     * Names the frames of one stack, as soon after it was taken as possible: what it refers to may move or go.
     *
     * @param leaf the innermost address of the stack, in the code that ran
     * @return for each entry its frames, innermost first, of which all but the last were inlined; an empty list for an entry
     *     without a name; or an empty list if no entry has a name
     */
    List<List<Frame>> named(int pid, long leaf, JavaScriptEntries entries);

    /** Discards what is known of a process that has ended or executes another program. */
    void forget(int pid);
}
