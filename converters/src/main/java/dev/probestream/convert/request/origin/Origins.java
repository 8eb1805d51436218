package dev.probestream.convert.request.origin;

import java.util.LinkedHashMap;
import java.util.Map;

/** Who asks and who is asked, of one capture: callers by the streams that they use, names by the addresses they led to. Bounded. */
public final class Origins {
    static final int LIMIT = 1 << 12;

    /** How far apart two probes of one write can be that are hit one after the other, at most. */
    static final long SAME_WRITE_NS = 1_000_000;

    private record Stream(int pid, long pointer) {}

    private record Write(int tid, long stackId, long atNs) {}

    private final Callers callers;
    private final PeerNames names = new PeerNames();
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

    /**
     * Whose request is written then. Who asked for the connection is the caller if the write itself has none; that is so once,
     * where a connection is asked for by whoever writes the next request to it.
     *
     * @param ownStackId of the event that tells of the write; 0 = none
     * @param isConnectCounting whether the connection is for the next request
     */
    public Caller ofRequest(int pid, int tid, long stream, long ownStackId, long atNs, boolean isConnectCounting) {
        Stream place = new Stream(pid, stream);
        Long connectStack = isConnectCounting ? connectStacks.remove(place) : null;
        Write write = writes.get(place);
        Caller caller = callers.of(ownStackId);
        if (caller.equals(Caller.UNKNOWN)
                && write != null
                && write.tid == tid
                && atNs >= write.atNs
                && atNs - write.atNs <= SAME_WRITE_NS) {
            caller = callers.of(write.stackId);
        }
        return caller.equals(Caller.UNKNOWN) && connectStack != null ? callers.of(connectStack) : caller;
    }

    /** What is known of streams is so no longer: their pointers may be those of others. */
    public void forgetStreams() {
        connectStacks.clear();
        writes.clear();
    }
}
