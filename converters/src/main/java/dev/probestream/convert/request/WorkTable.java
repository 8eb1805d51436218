package dev.probestream.convert.request;

import org.jspecify.annotations.Nullable;

/**
 * Work that was ordered in the context of a request and is under way: on the pool, or anything else that a flow's value
 * identifies. Pointers are used again, so that what is known of one lasts from its start to its end only.
 */
final class WorkTable {
    static final int LIMIT = 1 << 15;

    private final PointerTable<Work> byPointer = new PointerTable<>(LIMIT);

    /** Work for the pool; {@code root} null = of no known request. */
    void submit(int pid, long pointer, @Nullable Exchange root, int tid, Work.@Nullable Asked asked, long nowNs) {
        forget(pid, pointer, nowNs);
        if (root != null) {
            byPointer.put(pid, pointer, Work.forPool(root, tid, asked, nowNs));
        }
    }

    /** Something else that has a start and an end. */
    void start(int pid, long pointer, @Nullable Exchange root, int tid, Work.@Nullable Asked asked, long nowNs) {
        forget(pid, pointer, nowNs);
        if (root != null) {
            byPointer.put(pid, pointer, new Work(root, tid, asked, nowNs));
        }
    }

    /** Null = the work is of no known request. */
    @Nullable
    Work get(int pid, long pointer) {
        return byPointer.get(pid, pointer);
    }

    /** The same; the work has ended, and its end is dealt with from now on. */
    @Nullable
    Work end(int pid, long pointer, long nowNs) {
        return forget(pid, pointer, nowNs);
    }

    private @Nullable Work forget(int pid, long pointer, long nowNs) {
        Work work = byPointer.remove(pid, pointer);
        if (work != null) {
            work.over(nowNs);
        }
        return work;
    }

    int size() {
        return byPointer.size();
    }
}
