package dev.probestream.collector.internal.counter;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfFormatException;
import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.collector.internal.process.Target;
import dev.probestream.collector.internal.process.TargetRoot;
import dev.probestream.collector.probe.ResolveException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * What is read once of each program that a process runs: its runtime, its application, and the name servers of its system.
 */
final class ProcessProgram {
    /** Of Node.js, also where the version cannot be read. */
    private static final Set<String> NODE = Set.of("node", "nodejs");

    private final int pid;
    private final Runtimes runtimes;
    /** Each execve(2) puts what it refers to at other addresses of the new stack. */
    private byte[] auxiliaryVector = {};

    /** Of the program that was read last. */
    private boolean isKnown;

    /** The runtimes of executables, which processes share: reading the symbols of Node's takes some ten milliseconds. */
    static final class Runtimes {
        private static final int MOST = 64;

        private final Map<Executable, Optional<RuntimeVersion>> known = new LinkedHashMap<>();

        /** A deleted file's inode may become another file's. */
        private record Executable(Object file, long sizeBytes, FileTime modified) {}

        /** Empty if it is not known. */
        Optional<RuntimeVersion> of(Path executable) throws IOException {
            BasicFileAttributes attributes = Files.readAttributes(executable, BasicFileAttributes.class);
            Object file = attributes.fileKey() == null ? executable : attributes.fileKey();
            Executable key = new Executable(file, attributes.size(), attributes.lastModifiedTime());
            Optional<RuntimeVersion> version = known.get(key);
            if (version == null) {
                version = read(executable);
                if (known.size() == MOST) {
                    known.remove(known.keySet().iterator().next());
                }
                known.put(key, version);
            }
            return version;
        }

        private static Optional<RuntimeVersion> read(Path executable) throws IOException {
            try (ElfFile elf = ElfFile.open(executable)) {
                return RuntimeVersion.read(elf);
            } catch (ElfFormatException e) {
                return Optional.empty();
            }
        }
    }

    ProcessProgram(int pid, Runtimes runtimes) {
        this.pid = pid;
        this.runtimes = runtimes;
    }

    /**
     * Reads once; nothing is added if the process runs what it ran at the reading before.
     *
     * @throws IOException if the process has ended or may not be looked at
     */
    void read(List<CounterValues> values) throws IOException {
        byte[] now = Files.readAllBytes(ProcFile.of(pid, "auxv"));
        if (now.length == 0 || Arrays.equals(now, auxiliaryVector)) {
            return; // a process that is ending has none
        }
        Target target;
        try {
            target = Target.of(pid);
        } catch (ResolveException e) {
            throw new IOException("read the program of process " + pid, e);
        }
        auxiliaryVector = now;
        TargetRoot root = TargetRoot.of(pid);
        Optional<RuntimeVersion> runtime = runtimes.of(target.executableFile());
        String name = target.executable().substring(target.executable().lastIndexOf('/') + 1);
        Optional<PackageJson> application =
                runtime.isPresent() || NODE.contains(name) ? application(target, root) : Optional.empty();
        boolean wasKnown = isKnown;
        isKnown = runtime.isPresent() || application.isPresent();
        if (isKnown || wasKnown) {
            values.add(CounterValues.ofTexts(
                    ProcessCounter.PROGRAM,
                    pid,
                    ClockReading.monotonicNowNs(),
                    List.of(runtime.map(RuntimeVersion::toString), application.map(PackageJson::toString))));
        }
        nameServers(root, values);
    }

    private Optional<PackageJson> application(Target target, TargetRoot root) throws IOException {
        ClockReading now = ClockReading.now();
        long startRealtimeNs = now.realtimeNs() - now.bootTimeNs() + target.startBoottimeNs();
        return new NodeApplication(root, workingDirectory(), startRealtimeNs).find(target.commandLine());
    }

    /** As the process sees it: of a process below chroot(2) the kernel writes both links as this process sees them. */
    private String workingDirectory() throws IOException {
        Path folder = Files.readSymbolicLink(ProcFile.of(pid, "cwd"));
        Path root = Files.readSymbolicLink(ProcFile.of(pid, "root"));
        return folder.startsWith(root) ? "/" + root.relativize(folder) : folder.toString();
    }

    private void nameServers(TargetRoot root, List<CounterValues> values) {
        try {
            List<String> servers = NameServers.read(root);
            if (!servers.isEmpty()) {
                values.add(CounterValues.ofText(
                        ProcessCounter.NAME_SERVERS, pid, ClockReading.monotonicNowNs(), String.join(", ", servers)));
            }
        } catch (IOException | InvalidPathException e) {
            // There is no such file, and the C library asks 127.0.0.1; or it cannot be read.
        }
    }
}
