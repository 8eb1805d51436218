package dev.probestream.collector.internal.histogram;

import dev.probestream.collector.histogram.KeyValue;
import dev.probestream.collector.internal.capture.CaptureStacks;
import dev.probestream.collector.internal.event.TaskLifecycleListener;
import dev.probestream.collector.internal.kernel.KernelObjects;
import dev.probestream.collector.internal.kernel.KernelOptions;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.StackRoom;
import dev.probestream.collector.internal.program.layout.histogram.HistogramStackLayout;
import dev.probestream.collector.internal.scope.TargetScope;
import dev.probestream.collector.internal.stack.StackInterner;
import dev.probestream.collector.internal.v8.V8Executables;
import dev.probestream.collector.internal.v8.V8Processes;
import dev.probestream.collector.request.CollectionRequest;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Optional;

/**
 * The stacks that hits are counted by: each comes through the ring once, when it is hit for the first time. What V8's frames
 * refer to is read then, the other names when the counts are read. For the thread that reads the counts.
 */
public final class HistogramStacks implements TaskLifecycleListener, AutoCloseable {
    private final HistogramStackNames names = new HistogramStackNames();
    private final CaptureStacks stacks;
    private final StackInterner interner;
    private final Optional<V8Processes> v8;

    /** @param kernel borrowed */
    public HistogramStacks(KernelObjects kernel, KernelOptions options, V8Executables executables) {
        this.stacks = new CaptureStacks(0, false, kernel, options, executables, names::add);
        this.interner = stacks.interner();
        this.v8 = stacks.v8Processes();
    }

    /** Begins to read symbols on a thread of its own, until {@link #awaitPreparation}. */
    public void prepare(CollectionRequest request, TargetScope scope, boolean isLaunched) {
        stacks.prepare(request, scope, isLaunched);
    }

    public void awaitPreparation() {
        stacks.awaitPreparation();
    }

    /**
     * Takes a new stack.
     *
     * @param buffer borrowed for the call
     * @param offset of the sample in it
     */
    public void add(HistogramStackLayout layout, ByteBuffer buffer, int offset) {
        StackRoom room = layout.sample().stacks();
        long stackId = interner.idOf(
                buffer.getLong(offset + EventLayout.TIMESTAMP_OFFSET),
                buffer.getInt(offset + EventLayout.TGID_OFFSET),
                buffer,
                offset + room.kernelFramesOffset(),
                Math.max(0, buffer.getInt(offset + room.kernelBytesOffset())),
                offset + room.userFramesOffset(),
                Math.max(0, buffer.getInt(offset + room.userBytesOffset())),
                room.javaScript().isAny() ? offset + room.javaScript().offset() : -1);
        names.add(
                new HistogramStackNames.Hash(
                        buffer.getLong(offset + HistogramStackLayout.FIRST_HASH_OFFSET),
                        buffer.getLong(offset + HistogramStackLayout.SECOND_HASH_OFFSET)),
                stackId);
    }

    /** Names the stacks that came since the last time. */
    public void name() {
        interner.flush();
    }

    /** The value of a key that is a stack; see {@link #name}. */
    KeyValue value(String key, long firstHash, long secondHash) {
        return names.value(key, new HistogramStackNames.Hash(firstHash, secondHash));
    }

    /** Takes over what processes mapped up to a moment before which every sample was read. */
    public void readMappings(long timestampNs) {
        interner.readMappings(timestampNs);
    }

    public List<String> takeWarnings() {
        return stacks.takeWarnings();
    }

    @Override
    public void forked(long timestampNs, int parentTgid, int parentTid, int tgid, int tid, String comm) {
        if (tgid != parentTgid) {
            interner.forked(timestampNs, parentTgid, tgid);
            v8.ifPresent(known -> known.forked(parentTgid, tgid));
        }
    }

    @Override
    public void executed(long timestampNs, int tgid, int userId, String comm) {
        interner.executed(timestampNs, tgid);
        v8.ifPresent(known -> known.add(tgid));
    }

    @Override
    public void exited(long timestampNs, int tgid, int tid, boolean isProcessEnd, int waitStatus) {
        if (isProcessEnd) {
            interner.forget(tgid);
            v8.ifPresent(known -> known.remove(tgid));
        }
    }

    @Override
    public void renamed(long timestampNs, int tgid, int tid, String comm) {
        // stacks have no names of threads
    }

    @Override
    public void close() {
        stacks.close();
    }
}
