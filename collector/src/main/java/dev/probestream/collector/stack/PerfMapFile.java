package dev.probestream.collector.stack;

import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.collector.process.ProcessFiles;
import dev.probestream.collector.process.Target;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.concurrent.TimeUnit;

/**
 * The /tmp/perf-PID.map of a process (tools/perf/Documentation/jit-interface.txt of Linux): where it names the code it
 * generates. PID is the number the process has in its own pid namespace, /tmp the folder it sees itself. Pids come back,
 * in a container the same at each start, and the file stays when a process ends: so not every such file is this
 * process's own.
 */
public final class PerfMapFile {
    /** What there is under the file's name. */
    public enum State {
        MISSING,
        /** Last written before the process began: by another one that had its number. */
        OLDER_THAN_PROCESS,
        /** Neither the process's user nor root wrote it; or it is a link, or no regular file. */
        OF_A_STRANGER,
        OWN
    }

    private static final String FOLDER = "/tmp";
    /** Times of files stand still for as long as a tick of the kernel's, which is 10 ms at most. */
    private static final long TICK_NS = 10_000_000;

    private final Target target;
    private final ProcessFiles files;

    private PerfMapFile(Target target, ProcessFiles files) {
        this.target = target;
        this.files = files;
    }

    /** @throws IOException the process has gone, or its files may not be looked at */
    public static PerfMapFile of(Target target) throws IOException {
        return new PerfMapFile(target, ProcessFiles.of(target.pid()));
    }

    static PerfMapFile of(Target target, ProcessFiles files) {
        return new PerfMapFile(target, files);
    }

    /** As the process sees it. */
    public String name() {
        return FOLDER + "/perf-" + target.namespacePid() + ".map";
    }

    /** What is there now; looked at anew each time. */
    public State state() throws IOException {
        try {
            return stateOf(path());
        } catch (NoSuchFileException e) {
            return State.MISSING;
        }
    }

    /** Opens the file on our side; {@link NoSuchFileException} when its folder has gone with the process. */
    Path path() throws IOException {
        return files.root().resolve(FOLDER).resolve("perf-" + target.namespacePid() + ".map");
    }

    private State stateOf(Path file) throws IOException {
        BasicFileAttributes attributes =
                Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (!attributes.isRegularFile()
                || !isTrusted(Files.getAttribute(file, "unix:uid", LinkOption.NOFOLLOW_LINKS))) {
            return State.OF_A_STRANGER;
        }
        FileTime written = attributes.lastModifiedTime();
        return written.to(TimeUnit.NANOSECONDS) + TICK_NS < startRealtimeNs() ? State.OLDER_THAN_PROCESS : State.OWN;
    }

    private boolean isTrusted(Object owner) {
        return owner.equals(0) || owner.equals(target.userId());
    }

    private long startRealtimeNs() {
        ClockReading now = ClockReading.now();
        return now.realtimeNs() - now.bootTimeNs() + target.startBoottimeNs();
    }
}
