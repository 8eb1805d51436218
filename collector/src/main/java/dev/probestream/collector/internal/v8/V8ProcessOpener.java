package dev.probestream.collector.internal.v8;

import dev.probestream.collector.internal.process.ProcessFiles;
import dev.probestream.collector.internal.process.Target;
import dev.probestream.collector.internal.sourcemap.SourceMaps;
import dev.probestream.collector.internal.v8.code.CodePositions;
import dev.probestream.collector.internal.v8.code.FileCode;
import dev.probestream.collector.internal.v8.heap.HeapReader;
import dev.probestream.collector.internal.v8.heap.ProcessMemory;
import dev.probestream.collector.probe.ResolveException;
import java.io.IOException;
import java.util.Optional;

/** Opens the memory of processes that run V8. */
final class V8ProcessOpener {
    private final V8Processes targets;
    private final UnnamedFrames unnamed;
    private final SourceMaps sourceMaps;

    V8ProcessOpener(V8Processes targets, UnnamedFrames unnamed, SourceMaps sourceMaps) {
        this.targets = targets;
        this.unnamed = unnamed;
        this.sourceMaps = sourceMaps;
    }

    /** Empty if the process runs no V8 that can be read, has ended, or its memory may not be read. */
    Optional<V8Process> open(int pid) {
        Optional<V8Executable> executable = targets.executable(pid);
        if (executable.isEmpty()) {
            return Optional.empty();
        }
        try {
            FileCode fileCode = FileCode.of(pid);
            ProcessMemory memory = ProcessMemory.open(pid);
            HeapReader heap = new HeapReader(memory, executable.get().layout());
            FrameReader reader = new FrameReader(
                    heap,
                    executable.get().code().map(layout -> new CodePositions(heap, layout, fileCode)),
                    new ScriptSources(sourceMaps, origin(pid)),
                    fileCode);
            return Optional.of(new V8Process(memory, reader, () -> targets.relocations(pid), unnamed));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static Optional<SourceMaps.Origin> origin(int pid) {
        try {
            return Optional.of(SourceMaps.Origin.of(Target.of(pid), ProcessFiles.of(pid)));
        } catch (IOException | ResolveException e) {
            return Optional.empty();
        }
    }
}
