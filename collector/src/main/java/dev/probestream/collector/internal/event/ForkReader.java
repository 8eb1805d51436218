package dev.probestream.collector.internal.event;

import dev.probestream.bpf.ring.SampleHandler;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.RecordType;
import java.nio.ByteBuffer;

/** Reads from a ring without events which processes were started; passes over the rest of the task lifecycle. */
public final class ForkReader implements SampleHandler, TaskLifecycleListener {
    private final TaskLifecycleSamples samples = new TaskLifecycleSamples(this);
    private final Listener listener;

    /** Receives the processes that were started, on the thread that reads the ring. */
    @FunctionalInterface
    public interface Listener {
        /** @param comm the name of both, just after the fork */
        void started(int parentPid, int pid, String comm);
    }

    public ForkReader(Listener listener) {
        this.listener = listener;
    }

    @Override
    public void sample(ByteBuffer buffer, int offset, int lengthBytes) {
        samples.sample(
                RecordType.ofCode(Short.toUnsignedInt(buffer.getShort(offset + EventLayout.RECORD_TYPE_OFFSET))),
                buffer,
                offset);
    }

    @Override
    public void forked(long timestampNs, int parentTgid, int parentTid, int tgid, int tid, String comm) {
        if (tgid != parentTgid) {
            listener.started(parentTgid, tgid, comm);
        }
    }

    @Override
    public void executed(long timestampNs, int tgid, int userId, String comm) {
        // not asked for
    }

    @Override
    public void exited(long timestampNs, int tgid, int tid, boolean isProcessEnd, int waitStatus) {
        // not asked for
    }

    @Override
    public void renamed(long timestampNs, int tgid, int tid, String comm) {
        // not asked for
    }
}
