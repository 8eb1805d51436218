package dev.probestream.collector.internal.capture;

import dev.probestream.collector.internal.kernel.KernelObjects;
import dev.probestream.collector.internal.kernel.KernelOptions;
import dev.probestream.collector.internal.kernel.V8RelocationProbes;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.stack.JavaScriptNames;
import dev.probestream.collector.internal.v8.V8Executables;
import dev.probestream.collector.internal.v8.V8Names;
import dev.probestream.collector.internal.v8.V8Processes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What a capture has to record JavaScript frames, and to know closures again: the processes that run V8, and our probes in it. */
final class JavaScriptCapture implements AutoCloseable {
    private final boolean isNaming;
    private final V8RelocationProbes probes;
    private final V8Executables executables;
    private final V8Processes processes;
    private final V8Names names;

    private JavaScriptCapture(
            V8RelocationProbes probes, V8Executables executables, V8Processes processes, boolean isNaming) {
        this.isNaming = isNaming;
        this.probes = probes;
        this.executables = executables;
        this.processes = processes;
        this.names = new V8Names(processes);
    }

    /**
     * Empty when the programs need nothing of V8.
     *
     * @param kernel stays the caller's and is closed later
     */
    static Optional<JavaScriptCapture> of(KernelObjects kernel, KernelOptions options, V8Executables executables) {
        if (!kernel.hasMap(MapNames.V8_PROCESSES)) {
            return Optional.empty();
        }
        V8RelocationProbes probes = new V8RelocationProbes(options.options().filter(), kernel.maps());
        V8Processes processes =
                new V8Processes(kernel.map(MapNames.V8_PROCESSES), executables, probes, options.threadPointer());
        return Optional.of(new JavaScriptCapture(
                probes, executables, processes, options.options().recordsJavaScript()));
    }

    V8Processes processes() {
        return processes;
    }

    /** Closed with this object. */
    JavaScriptNames names() {
        return names;
    }

    /** Why functions of a process have no names. */
    List<String> takeWarnings() {
        if (!isNaming) {
            return List.of();
        }
        List<String> warnings = new ArrayList<>(executables.takeRefusals());
        warnings.addAll(names.takeWarnings());
        return warnings;
    }

    @Override
    public void close() {
        names.close();
        probes.close();
    }
}
