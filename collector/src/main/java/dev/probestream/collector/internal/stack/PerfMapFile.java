package dev.probestream.collector.internal.stack;

import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.collector.catalog.PerfMapState;
import dev.probestream.collector.internal.process.ProcessFiles;
import dev.probestream.collector.internal.process.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;

/**
 * The file /tmp/perf-PID.map in which a process names the code it generates (tools/perf/Documentation/jit-interface.txt
 * of Linux). PID is the process id in the process's own pid namespace, /tmp the folder as the process sees it. Pids are
 * reused (in a container often the same at each start) and the file remains when a process ends, so the file may belong
 * to an earlier process.
 */
public final class PerfMapFile {
    private static final String FOLDER = "/tmp";
    /** File times have the resolution of the kernel's tick, at most 10 ms. */
    private static final long TICK_NS = 10_000_000;

    private final Target target;
    private final ProcessFiles files;

    private PerfMapFile(Target target, ProcessFiles files) {
        this.target = target;
        this.files = files;
    }

    /** @throws IOException if the process has exited or access to its files is denied */
    public static PerfMapFile of(Target target) throws IOException {
        return new PerfMapFile(target, ProcessFiles.of(target.pid()));
    }

    static PerfMapFile of(Target target, ProcessFiles files) {
        return new PerfMapFile(target, files);
    }

    /** The path as the process sees it. */
    String name() {
        return nameFor(target);
    }

    /** The path of a process's file as the process sees it. */
    public static String nameFor(Target target) {
        return FOLDER + "/perf-" + target.namespacePid() + ".map";
    }

    /** The current state, read from the file system. */
    public PerfMapState state() throws IOException {
        try {
            return stateOf(path());
        } catch (NoSuchFileException e) {
            return PerfMapState.MISSING;
        }
    }

    /** A path that opens the file from here. */
    Path path() throws IOException {
        return files.root().resolve(FOLDER).resolve("perf-" + target.namespacePid() + ".map");
    }

    private PerfMapState stateOf(Path file) throws IOException {
        BasicFileAttributes attributes =
                Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isRegularFile()
                || !isTrusted(Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS))) {
            return PerfMapState.OF_A_STRANGER;
        }
        FileTime written = attributes.lastModifiedTime();
        return written.to(TimeUnit.NANOSECONDS) + TICK_NS < startRealtimeNs()
                ? PerfMapState.OLDER_THAN_PROCESS
                : PerfMapState.OWN;
    }

    private boolean isTrusted(Object owner) {
        return owner.equals(0) || owner.equals(target.userId());
    }

    private long startRealtimeNs() {
        ClockReading now = ClockReading.now();
        return now.realtimeNs() - now.bootTimeNs() + target.startBoottimeNs();
    }
}
