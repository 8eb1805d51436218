package dev.probestream.collector.internal.stack;

import dev.probestream.bpf.proc.ProcessMaps;
import dev.probestream.schema.record.Stack;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Assigns an id to every stack and emits each stack once, as a Stack record with named frames.
 *
 * <p>A known stack costs a hash and no allocation. Of a new stack the JavaScript frames are named at once, because
 * what they refer to may move or go; the addresses are kept together with the current maps of its process, because the
 * process may have exited when the other names are looked up. That happens in {@link #flush},
 * which the owner calls about once a second and at the end, and which runs automatically when {@link #MAX_PENDING}
 * stacks are pending. Not thread-safe.
 *
 * <p>The kernel walks frame pointers, also in libraries compiled without them; it then reports arbitrary memory as
 * return addresses. A user stack is cut before the first value that cannot be an address.
 *
 * <p>Memory is bounded: after {@value #MAX_KNOWN} different stacks the set of known stacks is cleared. A stack seen
 * again is emitted again with the same id, so a reader must accept duplicate Stack records.
 */
public final class StackInterner implements AutoCloseable {
    /** Maximum number of pending stacks: 16 MiB of addresses if all have the kernel's maximum depth. */
    static final int MAX_PENDING = 16_384;

    static final int MAX_KNOWN = 1 << 20;

    /**
     * {@link #MAX_KNOWN} of a {@link #live} interner. A reader that keeps the latest 2 * MAX_KNOWN_LIVE stacks has
     * every stack that an event can refer to.
     */
    public static final int MAX_KNOWN_LIVE = 1 << 13;

    private static final int MAX_PROCESSES = 512;
    private static final int MAX_INHERITED = 4096;
    /** The first page is never mapped (vm.mmap_min_addr). */
    private static final long MIN_USER_ADDRESS = 4096;
    /**
     * User space addresses have at most 56 bits, with five levels of page tables
     * (Documentation/arch/x86/x86_64/mm.rst).
     */
    private static final long MAX_USER_ADDRESS = (1L << 56) - 1;

    private final long captureId;
    private final Symbolizer symbolizer;
    private final LoggedCode logged = new LoggedCode();
    private final Consumer<Stack> stacks;
    private final LongSupplier nanoClock;
    private final JavaScriptNames javaScriptNames;
    private final LongSet known;
    /** The ids of stacks with JavaScript, by the hash of what the kernel read: what it read differs after a collection. */
    private final StackIdTable idsByRawHash;

    private final List<RawStack> pending = new ArrayList<>();
    private final Map<Integer, ProcessView> processes = new LruCache<>(MAX_PROCESSES, process -> {});
    /** Of children without a stack so far: what their parents had mapped when they were forked. */
    private final Map<Integer, ProcessView.Inherited> inherited = new LruCache<>(MAX_INHERITED, memory -> {});
    /**
     * Number of {@link #forget} calls, by the low bits of the pid. Part of the hash, so that the same addresses in
     * another program are another stack. Pids that share an index only emit their stacks again.
     */
    private final int[] generations = new int[1 << 12];
    /** Whether stacks are recorded. */
    private long userStacks;

    private boolean isPrepared;

    /**
     * @param javaScriptNames names JavaScript frames when a stack comes
     * @param stacks takes the named stacks, on the thread that calls {@link #flush} or {@link #idOf}
     */
    public StackInterner(
            long captureId, Symbolizer symbolizer, JavaScriptNames javaScriptNames, Consumer<Stack> stacks) {
        this(captureId, symbolizer, javaScriptNames, stacks, System::nanoTime);
    }

    /**
     * Creates an interner for a reader that keeps a bounded number of stacks in memory: it emits a stack again after
     * {@value #MAX_KNOWN_LIVE} others.
     */
    public static StackInterner live(
            long captureId, Symbolizer symbolizer, JavaScriptNames javaScriptNames, Consumer<Stack> stacks) {
        return new StackInterner(captureId, symbolizer, javaScriptNames, stacks, System::nanoTime, 2 * MAX_KNOWN_LIVE);
    }

    StackInterner(
            long captureId,
            Symbolizer symbolizer,
            JavaScriptNames javaScriptNames,
            Consumer<Stack> stacks,
            LongSupplier nanoClock) {
        this(captureId, symbolizer, javaScriptNames, stacks, nanoClock, 2 * MAX_KNOWN);
    }

    private StackInterner(
            long captureId,
            Symbolizer symbolizer,
            JavaScriptNames javaScriptNames,
            Consumer<Stack> stacks,
            LongSupplier nanoClock,
            int slots) {
        this.captureId = captureId;
        this.symbolizer = symbolizer;
        this.stacks = stacks;
        this.nanoClock = nanoClock;
        this.javaScriptNames = javaScriptNames;
        this.known = new LongSet(slots);
        this.idsByRawHash = new StackIdTable(slots);
    }

    /**
     * Records what code processes map from here on, so that also the stacks of processes that have ended have files. Does
     * nothing if the kernel refuses; then there is /proc/PID/maps, which a process takes with it.
     */
    public void recordMappings() {
        logged.begin();
    }

    @Override
    public void close() {
        logged.close();
    }

    /**
     * Loads the symbols of a process's mapped files and its perf map in advance, so that the first stacks do not block
     * the thread that reads the ring: loading takes 0.1 s for Node's executable, more for a large perf map.
     *
     * @param withKernel whether kernel stacks are expected too
     */
    public void prepare(int pid, boolean withKernel) {
        isPrepared = true;
        symbolizer.prepare(process(pid), withKernel);
    }

    /** How many samples had user frames. */
    public long userStacks() {
        return userStacks;
    }

    /**
     * Returns the id of the stack in a sample, as written by two calls of bpf_get_stack; 0 if there is none.
     *
     * @param timestampNs when the stack was taken (CLOCK_MONOTONIC)
     * @param pid the process that the user addresses belong to
     * @param sample borrowed for the call, in native byte order
     * @param kernelOffset offset of the first kernel address
     * @param kernelBytes the result of bpf_get_stack: their size in bytes, or a negative errno
     * @param userOffset offset of the first user address
     * @param userBytes as {@code kernelBytes}
     * @param javaScriptOffset offset of the {@link dev.probestream.collector.internal.program.layout.JavaScriptRoom}; -1 =
     *     the sample has none
     */
    public long idOf(
            long timestampNs,
            int pid,
            ByteBuffer sample,
            int kernelOffset,
            int kernelBytes,
            int userOffset,
            int userBytes,
            int javaScriptOffset) {
        int kernelFrames = Math.max(0, kernelBytes) / Long.BYTES;
        int userFrames = plausibleFrames(sample, userOffset, Math.max(0, userBytes) / Long.BYTES);
        if (userFrames > 0) {
            userStacks++;
        }
        if (kernelFrames + userFrames == 0) {
            return 0;
        }
        long seed = StackHash.with(
                userFrames == 0 ? 0 : StackHash.with(generations[generationIndex(pid)], pid), kernelFrames);
        long kernelHash = hash(seed, sample, kernelOffset, kernelFrames);
        long hash = hash(kernelHash, sample, userOffset, userFrames);
        long rawHash = userFrames == 0 ? 0 : JavaScriptEntries.hash(hash, sample, javaScriptOffset);
        long stackId = rawHash == 0 ? StackHash.finish(hash) : idsByRawHash.get(rawHash);
        if (stackId == 0 || !known.contains(stackId)) {
            logged.readUntil(timestampNs);
            long[] kernel = addresses(sample, kernelOffset, kernelFrames);
            long[] user = addresses(sample, userOffset, userFrames);
            NamedJavaScript javaScript = NamedJavaScript.NONE;
            if (rawHash != 0) {
                javaScript = named(pid, user, JavaScriptEntries.read(sample, javaScriptOffset));
                stackId = StackHash.finish(javaScript.hash(kernelHash, user));
                idsByRawHash.put(rawHash, stackId);
            }
            if (!known.contains(stackId)) {
                known.add(stackId);
                keep(stackId, pid, kernel, user, javaScript);
            }
        }
        return stackId;
    }

    private NamedJavaScript named(int pid, long[] user, JavaScriptEntries entries) {
        return NamedJavaScript.placed(user, entries, javaScriptNames.named(pid, user[0], entries));
    }

    private static long hash(long seed, ByteBuffer sample, int offset, int frames) {
        long hash = seed;
        for (int i = 0; i < frames; i++) {
            hash = StackHash.with(hash, sample.getLong(offset + i * Long.BYTES));
        }
        return hash;
    }

    private static long[] addresses(ByteBuffer sample, int offset, int frames) {
        long[] addresses = new long[frames];
        for (int i = 0; i < frames; i++) {
            addresses[i] = sample.getLong(offset + i * Long.BYTES);
        }
        return addresses;
    }

    /** Names the pending stacks and passes them to the consumer. */
    public void flush() {
        if (pending.isEmpty()) {
            return;
        }
        symbolizer.refresh();
        for (RawStack stack : pending) {
            stacks.accept(new Stack(captureId, stack.stackId(), symbolizer.frames(stack)));
        }
        pending.clear();
        processes.values().forEach(ProcessView::expire);
    }

    /**
     * Emits the pending stacks, and from now on each stack again when it is next seen: what is recorded from here on has all
     * the stacks that it refers to.
     */
    public void emitAgain() {
        flush();
        known.clear();
    }

    /**
     * A process was forked: it has the memory of its parent, until it executes another program. So its addresses are
     * known even if it ends before its own maps are read.
     */
    public void forked(long timestampNs, int parentPid, int pid) {
        logged.readUntil(timestampNs);
        logged.forked(parentPid, pid);
        ProcessView.Inherited memory = memory(parentPid);
        if (memory != null) {
            inherited.put(pid, memory);
        }
    }

    /**
     * A process executed another program: nothing that was known of it holds, except for its file system. Its maps are
     * read at once if stacks are recorded, because it may end soon.
     */
    public void executed(long timestampNs, int pid) {
        logged.readUntil(timestampNs);
        ProcessView.Inherited before = memory(pid);
        forgetMemory(pid);
        javaScriptNames.forget(pid);
        if (before != null) {
            inherited.put(pid, new ProcessView.Inherited(ProcessMaps.empty(), before.files()));
        }
        if (isPrepared) {
            process(pid);
        }
    }

    /** Discards what is known of a process whose pid may be reused. */
    public void forget(int pid) {
        logged.forget(pid);
        javaScriptNames.forget(pid);
        forgetMemory(pid);
    }

    /**
     * Takes over what processes mapped up to a moment, so that the kernel's record of it does not overflow. Every sample of
     * an earlier moment must have been passed.
     */
    public void readMappings(long timestampNs) {
        logged.readUntil(timestampNs);
    }

    private void forgetMemory(int pid) {
        boolean hadMemory = inherited.remove(pid) != null;
        if (processes.remove(pid) != null || hadMemory) {
            generations[generationIndex(pid)]++;
        }
    }

    /** The number of stacks that are not named yet. */
    public int pendingCount() {
        return pending.size();
    }

    private static int plausibleFrames(ByteBuffer sample, int offset, int frames) {
        for (int i = 0; i < frames; i++) {
            long address = sample.getLong(offset + i * Long.BYTES);
            if (address < MIN_USER_ADDRESS || address > MAX_USER_ADDRESS) {
                return i;
            }
        }
        return frames;
    }

    private int generationIndex(int pid) {
        return pid & generations.length - 1;
    }

    private ProcessView process(int pid) {
        ProcessView known = processes.get(pid);
        if (known == null) {
            known = new ProcessView(pid, nanoClock, Optional.ofNullable(inherited.remove(pid)));
            processes.put(pid, known);
            logged.add(pid);
        }
        return known;
    }

    private ProcessView.@Nullable Inherited memory(int pid) {
        ProcessView process = processes.get(pid);
        return process == null ? inherited.get(pid) : process.inheritance();
    }

    private void keep(long stackId, int pid, long[] kernel, long[] user, NamedJavaScript javaScript) {
        ProcessView process = process(pid);
        for (long address : user) {
            process.refreshFor(address);
        }
        pending.add(new RawStack(stackId, kernel, user, process, logged.of(pid), javaScript));
        if (pending.size() >= MAX_PENDING) {
            flush();
        }
    }
}
