package dev.probestream.collector.stack;

import dev.probestream.schema.record.Stack;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * Gives every stack an id, and says each stack once: as a Stack with named frames.
 *
 * <p>A stack that is known costs a hash and no allocation. Of a new one the addresses are kept, with what its process
 * has mapped at that moment, since the process may be gone when the names are looked up: on {@link #flush}, which the
 * owner calls now and then (once a second) and at the end, and which happens by itself when {@link #MAX_UNNAMED} stacks
 * wait. For one thread at a time.
 *
 * <p>The kernel walks frame pointers, also where a library was compiled without: then it takes for a return address
 * whatever lies there, mostly text. A user stack ends before the first value that can be no address.
 *
 * <p>Memory is bounded: after {@value #MAX_KNOWN} different stacks all are forgotten, and those that are seen again are
 * said again, with the same id. So a reader must expect a Stack more than once.
 */
public final class StackInterner {
    /** How many stacks wait for names at most: 16 MiB of addresses if all are as deep as the kernel walks. */
    static final int MAX_PENDING = 16_384;

    static final int MAX_KNOWN = 1 << 20;

    /** The same of a {@link #live} table: who keeps the latest twice as many has every stack that an event can name. */
    public static final int MAX_KNOWN_LIVE = 1 << 13;

    private static final int MAX_PROCESSES = 512;
    /** Nothing is mapped to the first page (vm.mmap_min_addr). */
    private static final long MIN_USER_ADDRESS = 4096;
    /** User space has 56 bits at most, with five levels of page tables (Documentation/arch/x86/x86_64/mm.rst). */
    private static final long MAX_USER_ADDRESS = (1L << 56) - 1;

    private final long captureId;
    private final Symbolizer symbolizer;
    private final Consumer<Stack> stacks;
    private final LongSupplier nanoClock;
    private final LongSet known;
    private final List<RawStack> pending = new ArrayList<>();
    private final Map<Integer, ProcessView> processes = new LruCache<>(MAX_PROCESSES, process -> {});
    /**
     * How often processes were forgotten, by the low bits of their pids: makes the same addresses in another program
     * another stack. That the stacks of the few pids that share a place are said again, too, harms nobody.
     */
    private final int[] generations = new int[1 << 12];

    /** @param stacks takes the named stacks, on the thread that calls {@link #flush} or {@link #idOf} */
    public StackInterner(long captureId, Symbolizer symbolizer, Consumer<Stack> stacks) {
        this(captureId, symbolizer, stacks, System::nanoTime);
    }

    /**
     * A table whose reader keeps stacks in memory: it forgets, and so says again, what it said after {@value
     * #MAX_KNOWN_LIVE} others.
     */
    public static StackInterner live(long captureId, Symbolizer symbolizer, Consumer<Stack> stacks) {
        return new StackInterner(captureId, symbolizer, stacks, System::nanoTime, new LongSet(2 * MAX_KNOWN_LIVE));
    }

    StackInterner(long captureId, Symbolizer symbolizer, Consumer<Stack> stacks, LongSupplier nanoClock) {
        this(captureId, symbolizer, stacks, nanoClock, new LongSet(2 * MAX_KNOWN));
    }

    private StackInterner(
            long captureId, Symbolizer symbolizer, Consumer<Stack> stacks, LongSupplier nanoClock, LongSet known) {
        this.captureId = captureId;
        this.symbolizer = symbolizer;
        this.stacks = stacks;
        this.nanoClock = nanoClock;
        this.known = known;
    }

    /**
     * Reads the names of what a process has mapped and generated, so that the thread that reads the ring need not stop
     * for it when the first stacks come: a tenth of a second for Node's executable, more for a large perf map.
     *
     * @param withKernel whether stacks of the kernel are expected, too
     */
    public void prepare(int pid, boolean withKernel) {
        symbolizer.prepare(process(pid), withKernel);
    }

    /**
     * The id of the stack in a sample, as two calls of bpf_get_stack left it there; 0 when there is none.
     *
     * @param pid of the process whose the user addresses are
     * @param sample borrowed for the call, in native byte order
     * @param kernelOffset where the kernel's addresses begin
     * @param kernelBytes what bpf_get_stack returned: how many bytes of them, or a negative errno
     * @param userOffset where the program's addresses begin
     * @param userBytes as {@code kernelBytes}
     */
    public long idOf(int pid, ByteBuffer sample, int kernelOffset, int kernelBytes, int userOffset, int userBytes) {
        int kernelFrames = Math.max(0, kernelBytes) / Long.BYTES;
        int userFrames = plausibleFrames(sample, userOffset, Math.max(0, userBytes) / Long.BYTES);
        if (kernelFrames + userFrames == 0) {
            return 0;
        }
        long hash = StackHash.with(
                userFrames == 0 ? 0 : StackHash.with(generations[generationIndex(pid)], pid), kernelFrames);
        for (int i = 0; i < kernelFrames; i++) {
            hash = StackHash.with(hash, sample.getLong(kernelOffset + i * Long.BYTES));
        }
        for (int i = 0; i < userFrames; i++) {
            hash = StackHash.with(hash, sample.getLong(userOffset + i * Long.BYTES));
        }
        long stackId = StackHash.finish(hash);
        if (!known.contains(stackId)) {
            known.add(stackId);
            long[] addresses = new long[kernelFrames + userFrames];
            for (int i = 0; i < kernelFrames; i++) {
                addresses[i] = sample.getLong(kernelOffset + i * Long.BYTES);
            }
            for (int i = 0; i < userFrames; i++) {
                addresses[kernelFrames + i] = sample.getLong(userOffset + i * Long.BYTES);
            }
            keep(stackId, pid, addresses, kernelFrames);
        }
        return stackId;
    }

    /** Names the stacks that wait, and hands them over. */
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
     * Says that a process runs another program now (execve), or that its pid may come back as another process: what
     * was known of it no longer holds for stacks that come.
     */
    public void forget(int pid) {
        if (processes.remove(pid) != null) {
            generations[generationIndex(pid)]++;
        }
    }

    /** How many stacks wait for their names. */
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
        return processes.computeIfAbsent(pid, added -> new ProcessView(added, nanoClock));
    }

    private void keep(long stackId, int pid, long[] addresses, int kernelFrames) {
        ProcessView process = process(pid);
        for (int i = kernelFrames; i < addresses.length; i++) {
            process.refreshFor(addresses[i]);
        }
        pending.add(new RawStack(stackId, addresses, kernelFrames, process));
        if (pending.size() >= MAX_PENDING) {
            flush();
        }
    }
}
