package dev.probestream.collector.resolve;

import dev.probestream.bpf.sys.Errno;
import dev.probestream.bpf.sys.Mounts;
import dev.probestream.bpf.sys.SyscallException;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.resolve.ResolveException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The kernel's list of tracepoints (Documentation/trace/events.rst). It is mounted where it is missing, and left mounted,
 * as perf and trace-cmd do.
 */
public final class Tracefs {
    private static final Path MOUNT_POINT = Path.of("/sys/kernel/tracing");
    private static final Path OLD_MOUNT_POINT = Path.of("/sys/kernel/debug/tracing");
    private static final int MAX_SUGGESTIONS = 5;

    private final Path events;

    private Tracefs(Path events) {
        this.events = events;
    }

    /**
     * Finds tracefs, or mounts it.
     *
     * @throws ResolveException when it is not there and cannot be mounted, or may not be read
     */
    public static Tracefs open() throws ResolveException {
        for (Path mountPoint : List.of(MOUNT_POINT, OLD_MOUNT_POINT)) {
            if (Files.isDirectory(mountPoint.resolve("events"))) {
                return new Tracefs(mountPoint.resolve("events"));
            }
        }
        try {
            Mounts.mount("tracefs", MOUNT_POINT);
        } catch (SyscallException e) {
            boolean isDenied = e.errno() == Errno.EPERM || e.errno() == Errno.EACCES;
            throw new ResolveException(
                    isDenied ? Reason.NOT_PERMITTED : Reason.NO_FILE,
                    "look for tracepoints in " + MOUNT_POINT + ": " + e.getMessage()
                            + "; as root: mount -t tracefs tracefs " + MOUNT_POINT,
                    e);
        }
        return new Tracefs(MOUNT_POINT.resolve("events"));
    }

    /** A folder with the structure of tracefs' {@code events}. */
    static Tracefs at(Path events) {
        return new Tracefs(events);
    }

    /**
     * The formats of the tracepoints a spec means: one, or for a glob as many as match.
     *
     * @throws ResolveException when there is none, with the nearest names
     */
    public List<TracepointFormat> formats(ProbeSpec spec) throws ResolveException {
        List<String> names = list(events.resolve(spec.module()));
        List<String> wanted =
                spec.isGlob() ? names.stream().filter(matcher(spec.function())).toList() : List.of(spec.function());
        if (wanted.isEmpty() || !names.containsAll(wanted)) {
            throw new ResolveException(Reason.NO_FUNCTION, missing(spec, names));
        }
        List<TracepointFormat> formats = new ArrayList<>();
        for (String name : wanted) {
            formats.add(format(spec.module(), name));
        }
        return formats;
    }

    /** Sorted. */
    public List<String> categories() throws ResolveException {
        return list(events);
    }

    /** The tracepoints of a category, sorted, without those that nobody can switch on (ftrace's own records). */
    public List<String> events(String category) throws ResolveException {
        return list(events.resolve(category)).stream()
                .filter(event ->
                        Files.exists(events.resolve(category).resolve(event).resolve("enable")))
                .toList();
    }

    /** The file with the names of the kernel functions that can be traced; not every kernel lets it be read. */
    public Path availableFunctions() {
        return events.resolveSibling("available_filter_functions");
    }

    /** What the record of a tracepoint looks like. */
    public TracepointFormat format(String category, String event) throws ResolveException {
        Path file = events.resolve(category).resolve(event).resolve("format");
        try {
            return TracepointFormat.parse(file.toString(), Files.readString(file));
        } catch (IOException e) {
            throw unreadable(file, e);
        }
    }

    private String missing(ProbeSpec spec, List<String> names) throws ResolveException {
        String what = "resolve " + spec.text() + " in " + events + ": ";
        if (names.isEmpty()) {
            List<String> categories = list(events);
            return what + "no category " + spec.module() + suggestions(spec.module(), categories);
        }
        return what + "no tracepoint " + spec.function() + " in the category " + spec.module()
                + suggestions(spec.function(), names);
    }

    private static String suggestions(String wanted, List<String> names) {
        String lower = wanted.toLowerCase(Locale.ROOT);
        String near = names.stream()
                .filter(name -> (lower.length() >= 3 && (name.contains(lower) || lower.contains(name)))
                        || commonPrefix(name, lower) >= Math.max(3, lower.length() / 2))
                .sorted((a, b) -> commonPrefix(b, lower) - commonPrefix(a, lower))
                .limit(MAX_SUGGESTIONS)
                .collect(Collectors.joining(", "));
        return near.isEmpty() ? "" : "; the nearest are " + near;
    }

    private static int commonPrefix(String a, String b) {
        int length = 0;
        while (length < Math.min(a.length(), b.length()) && a.charAt(length) == b.charAt(length)) {
            length++;
        }
        return length;
    }

    private static Predicate<String> matcher(String glob) {
        Pattern pattern =
                Pattern.compile(Pattern.quote(glob).replace("*", "\\E.*\\Q").replace("?", "\\E.\\Q"));
        return pattern.asMatchPredicate();
    }

    private static List<String> list(Path folder) throws ResolveException {
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

    private static ResolveException unreadable(Path file, IOException e) {
        return ProcFile.isDenied(e)
                ? new ResolveException(
                        Reason.NOT_PERMITTED, "read " + file + ": permission denied (run Probestream as root)", e)
                : new ResolveException(Reason.NO_FILE, "read " + file + ": " + ProcFile.words(e), e);
    }
}
