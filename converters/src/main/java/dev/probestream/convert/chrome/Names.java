package dev.probestream.convert.chrome;

import dev.probestream.convert.timeline.ThreadTrack;
import java.io.IOException;
import java.util.BitSet;

/** Names processes and threads, and sets the order in which they are shown: the events of phase M. */
final class Names {
    static final int CAPTURE_SORT_INDEX = -2;
    static final int CPUS_SORT_INDEX = -1;

    private static final byte[] ARGS_NAME = JsonBuffer.ascii(",\"args\":{\"name\":");
    private static final byte[] ARGS_SORT_INDEX = JsonBuffer.ascii(",\"args\":{\"sort_index\":");

    private final EventStream events;
    private final ChromeIds ids;
    private final BitSet stateTracks = new BitSet();

    Names(EventStream events, ChromeIds ids) {
        this.events = events;
        this.ids = ids;
    }

    void process(int pid, String name, int sortIndex) throws IOException {
        write("process_name", pid, pid, name);
        write("process_sort_index", pid, pid, sortIndex);
    }

    void thread(int pid, int tid, String name, int sortIndex) throws IOException {
        write("thread_name", pid, tid, name);
        write("thread_sort_index", pid, tid, sortIndex);
    }

    /** Twice the index: the track of a thread's states goes between it and the next thread. */
    void thread(ThreadTrack thread) throws IOException {
        thread(ids.pid(thread.process()), ids.tid(thread), ids.name(thread), sortIndex(thread));
    }

    /** Names the track of a thread's states the first time it is asked for it. */
    void stateTrack(ThreadTrack thread) throws IOException {
        if (!stateTracks.get(thread.index())) {
            stateTracks.set(thread.index());
            thread(
                    ids.pid(thread.process()),
                    ChromeIds.stateTid(thread),
                    thread.name() + " " + thread.tid() + " state",
                    sortIndex(thread) + 1);
        }
    }

    /** The main thread first, then by tid: the order of a process's threads. */
    private static int sortIndex(ThreadTrack thread) {
        return 2 * (thread.index() - thread.process().threads().get(0).index());
    }

    private void write(String what, int pid, int tid, String name) throws IOException {
        JsonBuffer event = begin(what, pid, tid);
        event.raw(ARGS_NAME);
        event.text(name);
        event.raw('}');
        events.end();
    }

    private void write(String what, int pid, int tid, int sortIndex) throws IOException {
        JsonBuffer event = begin(what, pid, tid);
        event.raw(ARGS_SORT_INDEX);
        event.number(sortIndex);
        event.raw('}');
        events.end();
    }

    private JsonBuffer begin(String what, int pid, int tid) {
        JsonBuffer event = events.begin('M', what);
        events.process(pid);
        events.thread(tid);
        return event;
    }
}
