package dev.probestream.bpf.tracefs;

import dev.probestream.bpf.internal.Mounts;
import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.bpf.sys.Errno;
import dev.probestream.bpf.sys.SyscallException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * The kernel's list of tracepoints (Documentation/trace/events.rst). It is mounted where it is missing, and left mounted,
 * as perf and trace-cmd do.
 */
public final class Tracefs {
    private static final Path MOUNT_POINT = Path.of("/sys/kernel/tracing");
    private static final Path OLD_MOUNT_POINT = Path.of("/sys/kernel/debug/tracing");

    private final Path events;

    private Tracefs(Path events) {
        this.events = events;
    }

    /**
     * Opens tracefs, and mounts it where it is missing.
     *
     * @return what was opened; the caller closes it
     * @throws TracefsException when it is missing and cannot be mounted, or cannot be read
     */
    public static Tracefs open() throws TracefsException {
        for (Path mountPoint : List.of(MOUNT_POINT, OLD_MOUNT_POINT)) {
            if (Files.isDirectory(mountPoint.resolve("events"))) {
                return new Tracefs(mountPoint.resolve("events"));
            }
        }
        try {
            Mounts.mount("tracefs", MOUNT_POINT);
        } catch (SyscallException e) {
            boolean isDenied = e.errno() == Errno.EPERM || e.errno() == Errno.EACCES;
            throw new TracefsException(
                    isDenied,
                    "look for tracepoints in " + MOUNT_POINT + ": " + e.getMessage()
                            + "; as root: mount -t tracefs tracefs " + MOUNT_POINT,
                    e);
        }
        return new Tracefs(MOUNT_POINT.resolve("events"));
    }

    /**
     * {@return a folder with the structure of tracefs' {@code events}}
     *
     * @param events the folder
     */
    public static Tracefs at(Path events) {
        return new Tracefs(events);
    }

    /** {@return the folder that holds a folder for each category} */
    public Path folder() {
        return events;
    }

    /**
     * {@return all categories, sorted by name}
     *
     * @throws TracefsException if it is missing or cannot be read
     */
    public List<String> categories() throws TracefsException {
        return list(events);
    }

    /**
     * {@return the tracepoints of a category, sorted by name; empty when there is no such category}
     *
     * @param category the folder in tracefs
     * @throws TracefsException if it is missing or cannot be read
     */
    public List<String> names(String category) throws TracefsException {
        return list(events.resolve(category));
    }

    /**
     * {@return the tracepoints of a category, sorted, without those that cannot be enabled (internal records of
     * ftrace)}
     *
     * @param category the folder in tracefs
     * @throws TracefsException if it is missing or cannot be read
     */
    public List<String> events(String category) throws TracefsException {
        return list(events.resolve(category)).stream()
                .filter(event ->
                        Files.exists(events.resolve(category).resolve(event).resolve("enable")))
                .toList();
    }

    /**
     * {@return the file with the names of the kernel functions that can be traced; not every kernel lets it be read}
     */
    public Path availableFunctions() {
        return events.resolveSibling("available_filter_functions");
    }

    /**
     * {@return the fields in the record of a tracepoint}
     *
     * @param category the folder in tracefs
     * @param event the tracepoint
     * @throws TracefsException if it is missing or cannot be read
     */
    public TracepointFormat format(String category, String event) throws TracefsException {
        Path file = events.resolve(category).resolve(event).resolve("format");
        try {
            return TracepointFormat.parse(file.toString(), Files.readString(file));
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private static List<String> list(Path folder) throws TracefsException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (Stream<Path> entries = Files.list(folder)) {
            return entries.filter(Files::isDirectory)
                    .map(entry -> entry.getFileName().toString())
                    .sorted()
                    .toList();
        } catch (IOException e) {
            throw unreadable(folder, e);
        }
    }

    private static TracefsException unreadable(Path file, IOException e) {
        boolean isDenied = ProcFile.isDenied(e);
        return new TracefsException(
                isDenied,
                "read " + file + ": " + (isDenied ? "permission denied (run as root)" : ProcFile.reason(e)),
                e);
    }
}
