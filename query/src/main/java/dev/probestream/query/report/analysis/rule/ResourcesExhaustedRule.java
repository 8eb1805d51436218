package dev.probestream.query.report.analysis.rule;

import dev.probestream.query.QueryException;
import dev.probestream.query.report.analysis.chapter.EvidenceLinks;
import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.analysis.fact.RecordingDatabase;
import dev.probestream.query.report.analysis.fact.ResultRow;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Calls fail because something is used up: file descriptors, the disk, memory. Which limit it is, what holds it, and whose
 * calls failed. One failure is enough: a process that works has none.
 */
public final class ResourcesExhaustedRule implements Rule {
    static final String NAME = "resources-exhausted";

    /** By the name of the error (errno(3)): what is used up, and what to do about it. */
    private static final Map<String, Resource> RESOURCES = Map.of(
            "EMFILE",
            new Resource(
                    "The process has no file descriptor left",
                    "Close what is no longer needed; raise the limit (ulimit -n, LimitNOFILE) if all of it is."),
            "ENFILE",
            new Resource("The system has no file descriptor left", "Raise fs.file-max, or close what is not needed."),
            "ENOSPC",
            new Resource("A disk is full", "df and df -i show how full it is: blocks or inodes can be used up."),
            "EDQUOT",
            new Resource("The disk quota of the user is used up", "quota shows the limit."),
            "ENOMEM",
            new Resource("The kernel has no memory for a call", "See the memory limit of the process's cgroup."),
            "EIO",
            new Resource("A disk does not read or write", "See the kernel's log (dmesg)."));

    private static final String ADD_WATCH = "inotify_add_watch";

    /** inotify_add_watch(2) has the error of a full disk for a limit of its own. */
    private static final Resource WATCHES = new Resource(
            "The limit of watched files is reached", "Raise fs.inotify.max_user_watches, or watch fewer files.");

    /** The errors that are this rule's, for SQL: {@code 'EMFILE', 'ENFILE'}. */
    static final String ERRORS =
            RESOURCES.keySet().stream().sorted().map("'%s'"::formatted).collect(Collectors.joining(", "));

    private record Resource(String title, String remedy) {}

    @Override
    public String remedy() {
        return "Raise the named limit to keep the service alive, and release what the named function holds.";
    }

    @Override
    public List<WeightedFinding> findings(RecordingDatabase database) throws QueryException {
        List<WeightedFinding> found = new ArrayList<>();
        for (ResultRow row : database.rows("""
                SELECT capture_id, pid, errno, any_value(number) AS number, sum(n) AS failures, arg_max(probe, n) AS probe,
                    arg_max(what, n) FILTER (what <> '') AS what
                FROM (
                    SELECT capture_id, pid, errno, number, replace(probe, 'uv_fs_', '') AS probe, what, count(*) AS n
                    FROM report_failure
                    -- Of system calls only those that Node makes by itself; the others are counted as calls of Node.
                    WHERE errno IN (%s) AND (category <> 'syscalls' OR starts_with(probe, 'accept') OR probe = '%s')
                    GROUP BY ALL)
                GROUP BY capture_id, pid, errno ORDER BY failures DESC, errno LIMIT 3""".formatted(ERRORS, ADD_WATCH))) {
            found.add(finding(database, row).ofProcess(row));
        }
        return found;
    }

    private static WeightedFinding finding(RecordingDatabase database, ResultRow row) throws QueryException {
        Resource resource = resource(row);
        boolean areDescriptors = row.text("errno").equals("EMFILE");
        String title = resource.title() + (areDescriptors ? limit(database, row) : "") + ": "
                + Amounts.count(row.count("failures"), "call") + " failed with " + row.text("errno") + ", most often "
                + row.text("probe") + (row.text("what").isEmpty() ? "" : " of " + row.text("what"))
                + caller(database, row).map(HotSpot::fromClause).orElse("") + ".";
        String text = (areDescriptors ? holders(database, row) : "") + resource.remedy();
        return WeightedFinding.of(
                NAME,
                true,
                row.number("failures"),
                title,
                text,
                List.of(EvidenceLinks.ERRORS, EvidenceLinks.PROCESS, EvidenceLinks.FILES));
    }

    private static Resource resource(ResultRow row) {
        if (row.text("probe").equals(ADD_WATCH)) {
            return WATCHES;
        }
        Resource resource = RESOURCES.get(row.text("errno"));
        if (resource == null) {
            throw new IllegalStateException(row.text("errno"));
        }
        int folderEnd = row.text("what").lastIndexOf('/');
        return row.text("errno").equals("ENOSPC") && folderEnd >= 0
                ? new Resource(
                        "The disk of " + row.text("what").substring(0, Math.max(folderEnd, 1)) + " is full",
                        resource.remedy())
                : resource;
    }

    /** " (91 of 91 are open)"; "" if the set process was not recorded. */
    private static String limit(RecordingDatabase database, ResultRow row) throws QueryException {
        ResultRow counted = database.row("""
                SELECT max(value) FILTER (name = 'open') AS open, max(value) FILTER (name = 'limit') AS bound FROM report_counter
                WHERE counter = 'open descriptors' AND %s""".formatted(row.sameProcess()));
        return counted.number("bound") <= 0
                ? ""
                : " (" + Amounts.count(counted.count("open")) + " of " + Amounts.count(counted.count("bound"))
                        + " were open)";
    }

    /** "When most were open, they were 60 sockets, 20 files and 9 pipes. Of 12 files ... "; "" if it is not known. */
    private static String holders(RecordingDatabase database, ResultRow row) throws QueryException {
        List<ResultRow> kinds = database.rows("""
                WITH fullest AS (
                    SELECT arg_max(mono_ns, value) AS at_ns FROM report_counter
                    WHERE counter = 'open descriptors' AND name = 'open' AND %1$s),
                kind AS (
                    SELECT name, arg_min(value, abs(mono_ns - at_ns)) AS n FROM report_counter, fullest
                    WHERE counter = 'descriptors' AND %1$s GROUP BY name)
                SELECT name, n FROM kind WHERE n > 0 ORDER BY n DESC, name LIMIT 4""".formatted(row.sameProcess()));
        ResultRow unclosed = database.row("""
                SELECT count(*) AS files, mode(path) AS path FROM report_unclosed WHERE %s""".formatted(row.sameProcess()));
        String held = kinds.isEmpty()
                ? ""
                : "When most were open, they were "
                        + kinds.stream()
                                .map(kind -> Amounts.count(kind.count("n")) + " " + kind.text("name"))
                                .collect(Collectors.joining(", "))
                        + ". ";
        return held
                + (unclosed.count("files") == 0
                        ? ""
                        : Amounts.count(unclosed.count("files"), "file")
                                + " opened in the recording were not closed, most often " + unclosed.text("path")
                                + ". ");
    }

    /** Whose calls of files failed; connections have no stack of their own when they fail. */
    private static Optional<HotSpot> caller(RecordingDatabase database, ResultRow row) throws QueryException {
        return HotSpot.of(database, """
                SELECT c.capture_id, c.stack_id, 1 AS weight
                FROM (SELECT * FROM report_fs_call WHERE %s AND result = -%d) f
                ASOF JOIN (FROM report_caller WHERE starts_with(probe, 'caller of sync') OR probe = 'caller of fs work') c
                    ON f.capture_id = c.capture_id AND f.pid = c.pid AND f.tid = c.tid AND f.start_ns + 50000 >= c.at_ns
                WHERE f.start_ns - c.at_ns < 1000000""".formatted(row.sameProcess(), row.count("number")));
    }
}
