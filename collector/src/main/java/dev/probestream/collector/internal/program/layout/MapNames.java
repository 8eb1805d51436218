package dev.probestream.collector.internal.program.layout;

import dev.probestream.collector.internal.program.layout.v8.AsyncContextLayout;
import dev.probestream.collector.internal.program.layout.v8.ClosureCallLayout;
import dev.probestream.collector.internal.program.layout.v8.HeapShape;
import dev.probestream.collector.internal.program.layout.v8.KnownThreadLayout;
import dev.probestream.collector.internal.program.layout.v8.ShapeQuestion;
import dev.probestream.collector.internal.program.layout.v8.V8ProcessLayout;

/** The names of the maps that all programs of a plan share. */
public final class MapNames {
    /** The ring buffer: every sample of every probe. */
    public static final String EVENTS = "events";
    /** Per-CPU array of hits that could not be delivered; indexed by {@link LossIndex}. */
    public static final String LOSSES = "losses";
    /**
     * Per-CPU array of u64: how often traced processes hit a probe, filtered and lost hits among them; indexed by probe id.
     * Of a span its beginnings count.
     */
    public static final String HITS = "hits";

    /** Hash: u32 tgid -> u32 1. Filled by the collector at the start, then by the programs that follow processes. */
    public static final String TARGETS = "targets";
    /** Hash: u32 tid -> the system call the thread is in. */
    public static final String OPEN_SYSCALLS = "open_syscalls";
    /** Array: system call number -> {@link SyscallTexts}, filled by the collector. */
    public static final String SYSCALL_TEXTS = "syscall_texts";

    /** Hash: u32 tid -> {@link PhasesLayout}: the open spans of a thread that end where the next begins. */
    public static final String PHASES = "phases";

    /** Hash: {@link SumLayout}, of system calls that are summed. */
    public static final String SYSCALL_SUMS = "syscall_sums";

    /** Array: system call number -> {@link SumLayout} of all threads for which {@link #SYSCALL_SUMS} had no room. */
    public static final String SYSCALL_REST = "syscall_rest";

    /** Array of one u64: how many nanoseconds a summed call must last to be an event for that alone. */
    public static final String SYSCALL_LIMIT = "syscall_limit";

    /** Hash: u64 address of a task_struct -> {@link OffCpuLayout}, of threads that have left their cpu once. */
    public static final String OFF_CPU = "off_cpu";

    /** Hash: {@link SumLayout}, of times without a cpu. */
    public static final String SCHED_SUMS = "sched_sums";

    /** Array of two: {@link SumLayout} of all threads for which {@link #SCHED_SUMS} had no room. */
    public static final String SCHED_REST = "sched_rest";

    /** Array of one u64: how many nanoseconds a thread must sleep for that to be an event. */
    public static final String SCHED_LIMIT = "sched_limit";

    /** Array of one u32: the number of the interval in which hits are summed, from 1. */
    public static final String SUM_INTERVAL = "sum_interval";

    /** Array of one value of zeros, from which entries of the pairing maps are begun. */
    public static final String ZERO = "zero";

    /**
     * Array of one value, {@link Windows}: which windows are open. Every program but those of the task lifecycle ignores
     * hits outside of the window of its probes' category.
     */
    public static final String WINDOW = "window";

    /** Array of one u32: 1 while the exec of a held command is awaited, which opens the window. */
    public static final String LAUNCH = "launch";

    /** LRU hash, in a pid namespace: u32 tid of the initial one -> 8 bytes, the tid and tgid of a thread that ended. */
    public static final String ENDED_THREADS = "ended_threads";

    /** Hash: u32 tgid -> {@link V8ProcessLayout}, filled by the collector for processes that run V8. */
    public static final String V8_PROCESSES = "v8_processes";

    /** Hash: u32 tid -> u32 1, of threads that collect garbage and move objects of V8. */
    public static final String V8_MOVING = "v8_moving";

    /** Hash: u32 tgid -> {@link AsyncContextLayout}, filled by the collector for processes that run Node.js. */
    public static final String ASYNC_CONTEXTS = "async_contexts";

    /** Array of {@link KnownThreadLayout}, by the lowest bits of a tid. */
    public static final String CONTEXT_THREADS = "context_threads";

    /** Array of {@link KnownStreamLayout}, by the thread and the descriptor. */
    public static final String UV_STREAMS = "uv_streams";

    /** LRU hash: {@link HeapShape#key} -> {@link HeapShape}, asked for by programs and filled by the collector. */
    public static final String HEAP_SHAPES = "heap_shapes";

    /** Ring buffer of {@link ShapeQuestion}: the keys of {@link #HEAP_SHAPES} that are new there. */
    public static final String SHAPE_QUESTIONS = "shape_questions";

    /** LRU hash: a key as of {@link #HEAP_SHAPES}, of a closure -> {@link ClosureCallLayout}. */
    public static final String FUNCTION_CALLS = "function_calls";

    /** LRU hash: u32 tid -> the turn of the thread, {@link ClosureCallLayout#TURN_BYTES}; user space does not read it. */
    public static final String THREAD_TURNS = "thread_turns";

    /** Array of one value for each CPU, what programs keep while they search a stream; user space does not read it. */
    public static final String SERVED_SEARCHES = "served_searches";

    /**
     * LRU hash: a stream, as {@link StreamBytesLayout} draws its key -> u64, how often the probes of its bytes were hit. The streams
     * on which a client is connected to a database.
     */
    public static final String STREAMS = "streams";

    /** Whether a stream of a descriptor may be a database's, by its lowest bits. */
    public static final String DATABASE_DESCRIPTORS = "database_descriptors";

    /** When a thread entered its last system call that writes, by the tid. */
    public static final String WRITE_ENTRIES = "write_entries";

    /** Hash: a stream, as {@link StreamBytesLayout} draws its key -> {@link WebSocketLayout}, of connections that are upgraded. */
    public static final String WEB_SOCKETS = "web_sockets";

    private MapNames() {}
}
