package dev.probestream.collector;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.collector.catalog.JavaScriptNaming;
import dev.probestream.collector.catalog.PerfMapState;
import dev.probestream.collector.internal.debugfile.DebugFiles;
import dev.probestream.collector.internal.process.Target;
import dev.probestream.collector.internal.redact.CommandLines;
import dev.probestream.collector.internal.resolve.Resolver;
import dev.probestream.collector.internal.stack.PerfMapFile;
import dev.probestream.collector.internal.v8.V8Executable;
import dev.probestream.collector.internal.v8.async.AsyncContextReader;
import dev.probestream.collector.internal.v8.heap.ProcessMemory;
import dev.probestream.collector.internal.v8.layout.V8LayoutException;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import java.io.IOException;
import java.util.List;
import java.util.Optional;

/**
 * A running process as a {@link Collector} would find it: which probes it has, and whether its stacks get names. Reads
 * /proc and ELF files, and loads nothing into the kernel. For one thread; {@link #close} releases the files that were
 * read.
 */
public final class ExaminedProcess implements AutoCloseable {
    private final Target target;
    private final Resolver resolver = new Resolver();

    private ExaminedProcess(Target target) {
        this.target = target;
    }

    /**
     * Reads a process from /proc.
     *
     * @param pid of the process (not of one of its threads), in the pid namespace of this process
     * @return the process as it is now; the caller closes it
     * @throws ResolveException if there is no such process, it has no executable, or access is denied
     */
    public static ExaminedProcess open(int pid) throws ResolveException {
        return new ExaminedProcess(Target.of(pid));
    }

    /** {@return the pid that was given to {@link #open}} */
    public int pid() {
        return target.pid();
    }

    /** {@return the path of the executable in the process's own mount namespace} */
    public String executable() {
        return target.executable();
    }

    /** {@return the words of the command line; they may hold secrets} */
    public List<String> commandLine() {
        return target.commandLine();
    }

    /** {@return the words of the command line as a recording has them: passwords, tokens and the like are masked} */
    public List<String> maskedCommandLine() {
        return CommandLines.masked(target.commandLine());
    }

    /**
     * Opens the running executable, with the symbols of its separate debug file if it is stripped and there is one.
     *
     * @return the executable, even if its file was deleted or replaced; the caller closes it
     * @throws IOException if it cannot be read or is not an ELF file
     */
    public ElfFile openExecutable() throws IOException {
        return ElfFile.open(
                target.executableFile(), DebugFiles.of(target.executable(), target.executableFile(), problem -> {}));
    }

    /**
     * Looks for what a probe names.
     *
     * @param spec the probe
     * @throws ResolveException if the process does not have it, or it may not be used
     */
    public void requireProbe(ProbeSpec spec) throws ResolveException {
        resolver.resolve(spec, target);
    }

    /**
     * Looks for functions whose probes cost the process some ten times what others do: the kernel has to single-step the
     * instruction that the probe sits on.
     *
     * @param spec a probe that the process has
     * @return their names
     * @throws ResolveException if the process does not have it, or it may not be used
     */
    public List<String> singleStepped(ProbeSpec spec) throws ResolveException {
        return resolver.singleStepped(spec, target);
    }

    /** {@return the path of the process's perf map, as the process sees it, whether the file exists or not} */
    public String perfMapName() {
        return PerfMapFile.nameFor(target);
    }

    /**
     * Looks at the process's perf map.
     *
     * @return its state now
     * @throws IOException if the process has exited or access to its files is denied
     */
    public PerfMapState perfMapState() throws IOException {
        return PerfMapFile.of(target).state();
    }

    /**
     * Looks at how JavaScript functions in the process's stacks get their names, and whether hits have an async context.
     *
     * @return empty if the executable does not contain V8
     */
    public Optional<JavaScriptNaming> javaScriptNaming() {
        String version = "";
        try (ElfFile elf = openExecutable()) {
            Optional<V8Executable> executable = V8Executable.read(target.executableFile(), elf);
            if (executable.isEmpty()) {
                return Optional.empty();
            }
            version = executable.get().layout().version().toString();
            ProcessMemory.open(pid()).close();
            return Optional.of(
                    new JavaScriptNaming(version, "", executable.get().asyncObstacle(), contextObstacle(elf)));
        } catch (V8LayoutException e) {
            return Optional.of(JavaScriptNaming.refused(version, String.valueOf(e.getMessage())));
        } catch (IOException e) {
            return Optional.of(JavaScriptNaming.refused(version, "/proc/" + pid() + "/mem: " + ProcFile.reason(e)));
        }
    }

    private static String contextObstacle(ElfFile elf) throws IOException {
        try {
            AsyncContextReader.read(elf);
            return "";
        } catch (V8LayoutException e) {
            return String.valueOf(e.getMessage());
        }
    }

    @Override
    public void close() {
        resolver.close();
    }
}
