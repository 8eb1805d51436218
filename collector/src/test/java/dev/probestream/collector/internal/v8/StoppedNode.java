package dev.probestream.collector.internal.v8;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.collector.internal.v8.heap.HeapException;
import dev.probestream.collector.internal.v8.heap.HeapReader;
import dev.probestream.collector.internal.v8.heap.ProcessMemory;
import dev.probestream.collector.internal.v8.layout.V8Layout;
import dev.probestream.collector.internal.v8.layout.V8LayoutReader;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * A Node.js process that is stopped inside a script, with its memory and its JavaScript frames.
 *
 * <p>The script calls {@code stop(text)}, a global function, to print a line and block in a read of stdin. When the
 * process is in that system call, it is sent SIGSTOP; {@link #next} lets it go on to the next {@code stop}. Killed when
 * closed.
 */
public final class StoppedNode implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 90;
    private static final long MAX_STACK_BYTES = 2 << 20;
    /** read(2) of stdin (x86-64), in /proc/PID/syscall. */
    private static final String READ_OF_STDIN = "0 0x0 ";

    private static final String PRELUDE = """
            const { writeSync, readSync } = require('fs');
            globalThis.stop = text => {
              writeSync(1, (text === undefined ? '' : String(text).replaceAll('\\n', '|')) + '\\n');
              readSync(0, Buffer.alloc(1));
            };
            """;

    private final Process process;
    private final BufferedReader output;
    private final V8Layout layout;
    private final ProcessMemory memory;
    private String line = "";

    private StoppedNode(Process process, V8Layout layout, ProcessMemory memory) {
        this.process = process;
        this.output = process.inputReader(StandardCharsets.UTF_8);
        this.layout = layout;
        this.memory = memory;
    }

    /**
     * A JavaScript frame, as the kernel's program records it.
     *
     * @param framePointer where it is on the stack
     * @param pc the return address into its code, which the frame that it called has; 0 if that is not known
     * @param function the JSFunction, tagged
     * @param sharedFunctionInfo tagged
     * @param word what is at fp-40: the bytecode offset, as a Smi, if it is interpreted
     */
    public record StoppedFrame(long framePointer, long pc, long function, long sharedFunctionInfo, long word) {}

    /**
     * Starts the script and waits for its first {@code stop}.
     *
     * @param folder where a prelude is written
     * @param arguments options of Node.js and the script
     */
    public static StoppedNode start(Path node, Path folder, String... arguments) throws Exception {
        Path prelude = folder.resolve("prelude.cjs");
        Files.writeString(prelude, PRELUDE);
        List<String> command = new ArrayList<>(List.of(node.toString(), "-r", prelude.toString()));
        command.addAll(List.of(arguments));
        V8Layout layout;
        try (ElfFile elf = ElfFile.open(node)) {
            layout = V8LayoutReader.read(elf);
        }
        ProcessBuilder builder =
                new ProcessBuilder(command).directory(folder.toFile()).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().keySet().removeAll(Map.of("NODE_OPTIONS", "").keySet());
        Process process = builder.start();
        try {
            StoppedNode stopped = new StoppedNode(process, layout, ProcessMemory.open(Math.toIntExact(process.pid())));
            stopped.awaitStop();
            return stopped;
        } catch (Exception e) {
            process.destroyForcibly();
            throw e;
        }
    }

    public int pid() {
        return Math.toIntExact(process.pid());
    }

    /** What the script passed to the {@code stop} that it is in; line ends are shown as |. */
    public String line() {
        return line;
    }

    public V8Layout layout() {
        return layout;
    }

    public ProcessMemory memory() {
        return memory;
    }

    public HeapReader heap() {
        return new HeapReader(memory, layout);
    }

    /** Lets the process run to its next {@code stop}. */
    public void next() throws Exception {
        signal("CONT");
        process.getOutputStream().write('\n');
        process.getOutputStream().flush();
        awaitStop();
    }

    /** The JavaScript frames of the main thread, innermost first. */
    public List<StoppedFrame> frames() throws Exception {
        String[] words =
                Files.readString(Path.of("/proc/" + pid() + "/syscall")).trim().split(" ");
        long stackPointer = Long.decode(words[words.length - 2]);
        return new FrameSearch(heap(), stackPointer, stackEnd(stackPointer)).frames();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        process.onExit().join();
        memory.close();
    }

    private void awaitStop() throws Exception {
        String read = output.readLine();
        if (read == null) {
            throw new IOException("node has ended with exit code " + process.waitFor());
        }
        line = read;
        await(() -> Files.readString(Path.of("/proc/" + pid() + "/syscall")).startsWith(READ_OF_STDIN));
        signal("STOP");
        await(() -> Files.readString(Path.of("/proc/" + pid() + "/stat"))
                .replaceAll(".*\\) ", "")
                .startsWith("T"));
    }

    private interface Condition {
        boolean holds() throws IOException;
    }

    private static void await(Condition condition) throws Exception {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE_SECONDS);
        while (!condition.holds()) {
            if (System.nanoTime() > end) {
                throw new TimeoutException("node did not stop");
            }
            Thread.sleep(1);
        }
    }

    private void signal(String name) throws Exception {
        new ProcessBuilder("kill", "-" + name, Long.toString(process.pid()))
                .inheritIO()
                .start()
                .waitFor();
    }

    private long stackEnd(long stackPointer) throws IOException {
        try (var lines = Files.lines(Path.of("/proc/" + pid() + "/maps"))) {
            return lines.map(text -> text.split("[- ]"))
                    .filter(words -> Long.parseUnsignedLong(words[0], 16) <= stackPointer
                            && stackPointer < Long.parseUnsignedLong(words[1], 16))
                    .mapToLong(words -> Long.parseUnsignedLong(words[1], 16))
                    .findFirst()
                    .orElseThrow();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    /**
     * Finds frames without registers: from the stack pointer on, each word of the stack may be where a frame pointer points.
     * From one frame on, the saved frame pointers are followed as long as they lead to frames of V8.
     */
    private static final class FrameSearch {
        private final HeapReader heap;
        private final V8Layout layout;
        private final long start;
        private final long end;
        private final List<StoppedFrame> frames = new ArrayList<>();

        FrameSearch(HeapReader heap, long start, long end) {
            this.heap = heap;
            this.layout = heap.layout();
            this.start = start;
            this.end = Math.min(end, start + MAX_STACK_BYTES);
        }

        List<StoppedFrame> frames() throws HeapException {
            heap.begin(Integer.MAX_VALUE, Long.MAX_VALUE);
            long from = start + 64;
            while (from + 16 < end) {
                long saved = word(from);
                if (!isFrame(from)) {
                    from += 8;
                } else {
                    add(from, calledFrame(from));
                    long inner = from;
                    while (saved > inner && saved + 16 < end && isV8Frame(saved)) {
                        if (isFrame(saved)) {
                            add(saved, inner);
                        }
                        inner = saved;
                        saved = word(inner);
                    }
                    from = inner + 8;
                }
            }
            return frames;
        }

        private void add(long framePointer, long inner) throws HeapException {
            long function = word(framePointer + layout.frames().function());
            frames.add(new StoppedFrame(
                    framePointer,
                    inner == 0 ? 0 : word(inner + 8),
                    function,
                    heap.pointer(function, layout.functions().shared()),
                    word(framePointer + layout.frames().bytecodeOffset())));
        }

        /** The frame whose saved frame pointer is this; 0 if there is none. */
        private long calledFrame(long framePointer) throws HeapException {
            for (long inner = framePointer - 16; inner > start; inner -= 8) {
                if (word(inner) == framePointer) {
                    return inner;
                }
            }
            return 0;
        }

        /** Whether it is a frame of V8: of JavaScript, or one with a type. */
        private boolean isV8Frame(long framePointer) throws HeapException {
            long marker = word(framePointer + layout.frames().context());
            return isFrame(framePointer) || (marker > 1 << 1 && marker < 64 << 1);
        }

        private boolean isFrame(long framePointer) throws HeapException {
            try {
                long context = word(framePointer + layout.frames().context());
                long function = word(framePointer + layout.frames().function());
                if (!HeapReader.isPointer(context) || !HeapReader.isPointer(function)) {
                    return false;
                }
                int contextType = heap.instanceType(context);
                int functionType = heap.instanceType(function);
                return contextType >= layout.types().firstContext()
                        && contextType <= layout.types().lastContext()
                        && functionType >= layout.types().firstJsFunction()
                        && functionType <= layout.types().lastJsFunction()
                        && heap.is(
                                heap.pointer(function, layout.functions().shared()),
                                layout.types().sharedFunctionInfo());
            } catch (HeapException e) {
                return false;
            }
        }

        private long word(long address) throws HeapException {
            return heap.longAt(address);
        }
    }
}
