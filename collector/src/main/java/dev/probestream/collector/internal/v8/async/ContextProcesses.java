package dev.probestream.collector.internal.v8.async;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.map.BpfMap;
import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.bpf.ring.RingListener;
import dev.probestream.bpf.sys.Errno;
import dev.probestream.bpf.sys.SyscallException;
import dev.probestream.collector.internal.debugfile.DebugFiles;
import dev.probestream.collector.internal.process.FileId;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.v8.AsyncContextLayout;
import dev.probestream.collector.internal.program.layout.v8.EventLoopLayout;
import dev.probestream.collector.internal.program.layout.v8.StreamListenerLayout;
import dev.probestream.collector.internal.v8.layout.V8LayoutException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The traced processes whose async contexts can be read: what programs need of each is in their map. Safe for several threads. */
public final class ContextProcesses implements AutoCloseable {
    /** Of Node.js: {@code int node::Start(int, char**)}, which it exports. */
    private static final String NODE_START = "_ZN4node5StartEiPPc";

    /** Smaller files do not contain V8, whose code and data take some 40 MB. */
    private static final long MIN_SIZE_BYTES = 16 << 20;

    private final BpfMap map;
    private final Optional<HeapShapes> shapes;
    private final Optional<RingListener> questions;
    private final Map<FileId, Optional<ContextExecutable>> executables = new HashMap<>();
    private final Map<Integer, ContextExecutable> processes = new HashMap<>();
    private final Map<Integer, String> lookedAt = new HashMap<>();
    private final Set<String> refusals = new LinkedHashSet<>();
    private int taken;

    /**
     * @param map of {@link AsyncContextLayout}; it stays the caller's
     * @param shapes of {@link dev.probestream.collector.internal.program.layout.v8.HeapShape}, likewise; null on kernels on which promises
     *     are not followed
     * @param questions of {@link dev.probestream.collector.internal.program.layout.v8.ShapeQuestion}, likewise
     */
    private ContextProcesses(BpfMap map, @Nullable BpfMap shapes, @Nullable BpfMap questions) {
        this.map = map;
        if (shapes == null || questions == null) {
            this.shapes = Optional.empty();
            this.questions = Optional.empty();
        } else {
            HeapShapes answers = new HeapShapes(shapes, questions, this::heap);
            this.shapes = Optional.of(answers);
            this.questions = Optional.of(RingListener.start(questions, "heap-shapes", this::answer));
        }
    }

    /** Of programs with these maps, which stay the caller's; empty if they read no contexts. The caller closes it. */
    public static Optional<ContextProcesses> of(Map<String, BpfMap> maps) {
        return Optional.ofNullable(maps.get(MapNames.ASYNC_CONTEXTS))
                .map(map ->
                        new ContextProcesses(map, maps.get(MapNames.HEAP_SHAPES), maps.get(MapNames.SHAPE_QUESTIONS)));
    }

    private Optional<HeapLayout> heap(int pid) {
        return Optional.ofNullable(processes.get(pid)).flatMap(ContextExecutable::heap);
    }

    private synchronized void answer() {
        shapes.ifPresent(HeapShapes::answer);
    }

    /** A process is traced from now on, or executes another program; nothing happens if it does not run Node.js. */
    public synchronized void add(int pid) {
        remove(pid);
        Path file = ProcFile.of(pid, "exe");
        try {
            String shownPath = Files.readSymbolicLink(file).toString();
            FileId id = FileId.of(file);
            Optional<ContextExecutable> executable = executables.get(id);
            if (executable == null) {
                executable = Files.size(file) < MIN_SIZE_BYTES ? Optional.empty() : read(shownPath, file);
                executables.put(id, executable);
            }
            executable.ifPresent(known -> put(pid, known));
        } catch (IOException e) {
            return; // it has ended, or access is denied
        }
    }

    private Optional<ContextExecutable> read(String shownPath, Path file) throws IOException {
        try (ElfFile elf = ElfFile.open(file, DebugFiles.of(shownPath, file, problem -> {}))) {
            if (elf.function(NODE_START).isEmpty()) {
                return Optional.empty();
            }
            ContextExecutable executable = AsyncContextReader.read(elf);
            if (executable.layout().eventLoop().equals(EventLoopLayout.NONE)) {
                refusals.add("values of the types uvstream and uvreader are unavailable in " + shownPath
                        + ": where Node.js has its event loops is read out of code that is another here");
            } else if (executable.layout().listeners().equals(StreamListenerLayout.NONE)) {
                refusals.add("values of the type uvreader are unavailable in " + shownPath
                        + ": who reads a stream is read out of tables and code that are others here");
            }
            return Optional.of(executable);
        } catch (V8LayoutException e) {
            refusals.add("hits in " + shownPath + " have no async context: " + e.getMessage());
            return Optional.empty();
        }
    }

    /**
     * Adds those that are new or execute another program, and removes all others: where there are no records of
     * processes.
     *
     * @param pids that are traced now
     */
    public synchronized void look(Collection<Integer> pids) {
        for (int pid : pids) {
            String executable = executable(pid);
            if (!executable.equals(lookedAt.put(pid, executable))) {
                add(pid);
            }
        }
        List<Integer> gone =
                lookedAt.keySet().stream().filter(pid -> !pids.contains(pid)).toList();
        gone.forEach(lookedAt::remove);
        gone.forEach(this::remove);
    }

    private static String executable(int pid) {
        try {
            return Files.readSymbolicLink(ProcFile.of(pid, "exe")).toString();
        } catch (IOException e) {
            return ""; // it has ended, or access is denied
        }
    }

    /** A traced process forked one that is traced, too. */
    public synchronized void forked(int parentPid, int pid) {
        ContextExecutable executable = processes.get(parentPid);
        if (executable != null) {
            put(pid, executable);
        }
    }

    /** The process has ended, or is not traced any more. */
    public synchronized void remove(int pid) {
        if (processes.remove(pid) != null) {
            map.delete(BpfMap.key(pid));
            shapes.ifPresent(known -> known.forget(pid));
        }
    }

    /** Why processes have no contexts, a sentence for each executable; those that were not taken before. */
    public synchronized List<String> takeRefusals() {
        List<String> fresh = new ArrayList<>(refusals).subList(taken, refusals.size());
        taken = refusals.size();
        return fresh;
    }

    private void put(int pid, ContextExecutable executable) {
        try {
            map.update(BpfMap.key(pid), executable.layout().encode());
            processes.put(pid, executable);
        } catch (SyscallException e) {
            if (e.errno() != Errno.E2BIG) {
                throw e;
            }
            refusals.add("more than " + AsyncContextLayout.MAX_PROCESSES
                    + " processes run Node.js: hits in the others have no async context");
        }
    }

    @Override
    public void close() {
        questions.ifPresent(RingListener::close); // its thread may wait for this object
        shapes.ifPresent(HeapShapes::close);
    }
}
