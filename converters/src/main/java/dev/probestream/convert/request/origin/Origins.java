package dev.probestream.convert.request.origin;

import java.util.LinkedHashMap;
import java.util.Map;

/** Who asks and who is asked, of one capture: callers by the streams that they use, names by the addresses they led to. Bounded. */
public final class Origins {
    static final int LIMIT = 1 << 12;

    /** How far apart two probes of one write can be that are hit one after the other, at most. */
    static final long SAME_WRITE_NS = 1_000_000;

    private record Stream(int pid, long pointer) {}

    private record Write(int tid, long stackId, long atNs) {
        /** Whether another probe of that thread is hit by the same write. */
        boolean isBy(int other, long otherNs) {
            return other == tid && otherNs >= atNs && otherNs - atNs <= SAME_WRITE_NS;
        }
    }

    private final Callers callers;
    private final PeerNames names = new PeerNames();
    private final FetchCallers fetches = new FetchCallers();
    private final Map<Stream, Long> connectStacks = bounded();
    private final Map<Stream, Write> writes = bounded();

    /** With the callers of the capture's stacks. */
    public Origins(Callers callers) {
        this.callers = callers;
    }

    private static <V> Map<Stream, V> bounded() {
        return new LinkedHashMap<>() {
            @Override
            protected boolean removeEldestEntry(Map.Entry<Stream, V> eldest) {
                return size() > LIMIT;
            }
        };
    }

    /** The names of hosts that were looked up. */
    public PeerNames names() {
        return names;
    }

    /** Code with that stack asks for a connection, or takes one that was kept, for its next request. */
    public void connects(int pid, long stream, long stackId) {
        if (stream != 0 && stackId != 0) {
            Stream place = new Stream(pid, stream);
            connectStacks.remove(place);
            connectStacks.put(place, stackId);
        }
    }

    /** Code with that stack writes to a stream. */
    public void writes(int pid, int tid, long stream, long stackId, long atNs) {
        if (stream != 0 && stackId != 0) {
            Stream place = new Stream(pid, stream);
            writes.remove(place);
            writes.put(place, new Write(tid, stackId, atNs));
        }
    }

    /** Code with that stack has a URL read. */
    public void readsUrl(int pid, String url, long stackId) {
        if (callers.isOfFetch(stackId) && !url.isEmpty()) {
            fetches.fetches(pid, url, callers.ofFetch(stackId));
        }
    }

    /**
     * Whose request fetch writes then, if no function is known that writes it or asked for its connection.
     *
     * @param target of the request: "/a?b"
     */
    public Caller ofFetch(int pid, int tid, long stream, String target, long atNs) {
        return callers.isOfFetch(writeStack(pid, tid, stream, atNs)) ? fetches.of(pid, target) : Caller.UNKNOWN;
    }

    /**
     * Whose request is written then, or connection asked for. Who asked for the connection is the caller if the write itself has none; that is
     * so once, where a connection is asked for by whoever writes the next request to it.
     *
     * @param ownStackId of the event that records the write; 0 = none
     */
    public Caller ofRequest(int pid, int tid, long stream, long ownStackId, long atNs) {
        Long connectStack = connectStacks.remove(new Stream(pid, stream));
        Caller caller = callers.of(ownStackId);
        if (caller.equals(Caller.UNKNOWN)) {
            caller = callers.of(writeStack(pid, tid, stream, atNs));
        }
        return caller.equals(Caller.UNKNOWN) && connectStack != null ? callers.of(connectStack) : caller;
    }

    /** Whose statement to a database is written then. Who asked for the connection may be another one: it is kept. */
    public Caller ofStatement(int pid, int tid, long stream, long ownStackId, long atNs) {
        Caller caller = callers.ofStatement(ownStackId);
        return caller.equals(Caller.UNKNOWN) ? callers.ofStatement(writeStack(pid, tid, stream, atNs)) : caller;
    }

    /** 0 = none. */
    private long writeStack(int pid, int tid, long stream, long atNs) {
        Write write = writes.get(new Stream(pid, stream));
        return write != null && write.isBy(tid, atNs) ? write.stackId : 0;
    }

    /** What is known of streams is so no longer: their pointers may be those of others. */
    public void forgetStreams() {
        connectStacks.clear();
        writes.clear();
    }
}
