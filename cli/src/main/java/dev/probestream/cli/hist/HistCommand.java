package dev.probestream.cli.hist;

import dev.probestream.cli.doctor.Permission;
import dev.probestream.cli.options.IntervalOptions;
import dev.probestream.cli.options.JsonOption;
import dev.probestream.cli.options.LimitOption;
import dev.probestream.cli.options.ScriptFile;
import dev.probestream.cli.options.TargetOptions;
import dev.probestream.cli.report.PageFile;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.dialect.ArgdistLine;
import dev.probestream.collector.dialect.HistogramLine;
import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.request.HistogramRequest;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code hist}: counts and histograms, aggregated in the kernel. */
@Command(
        name = "hist",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = HistCommand.HEADER,
        customSynopsis = {
            "probestream hist (-p PID... | --comm NAME | --cgroup FOLDER | --all |",
            "                         ... -- CMD...)",
            "                        (SPEC... [--of VALUE] [--by KEYS]",
            "                                 [--count | --linear FROM:TO:STEP |",
            "                                  --stats] |",
            "                         -e PROGRAM | -C SPEC | -H SPEC)...",
            "                        [--follow] [--for TIME] [-i TIME] [-n N] [-c]",
            "                        [-T N] [-z BYTES] [--json | --folded] [-o FILE.html]",
        },
        description = {
            "",
            "Aggregates in the kernel: no event is sent per call, so the overhead for the traced program is low. Every"
                    + " interval prints its own counts (with -c, the counts since the start); the end, by Ctrl-C or"
                    + " because the processes have ended, prints the totals. Hits that could not be counted are reported.",
            "",
            "A stack is sent once, when it is hit for the first time. Counts by stack and --stats need Linux 5.12.",
            ""
        },
        footer = {
            "",
            "A SPEC is a probe spec (see 'help specs'), such as",
            "  'span:libc.so.6:read(fd=arg1:s32, size=arg3:u64, ret:s64) /fd > 2/'",
            "VALUE and KEYS are names of its arguments, ret (the return value), pid, tid, comm, cpu or probe (the"
                    + " probe, if SPEC is a glob); VALUE can also be the duration of a span. A signed int needs its type:"
                    + " (ret:s32). VALUE may be computed with + - * / %% and parentheses: 'duration / 1000'.",
            "",
            "A KEY may be computed, too: 'size / 64'. It can also be ustack (the stack of the program), kstack (that of the kernel) or function: the innermost"
                    + " function of the application, of Node the innermost JavaScript function that is not Node's own,"
                    + " else the innermost one outside of system libraries.",
            "",
            "Without --of, --count and --linear, a span shows its durations, and other probes are counted. A count without --by is grouped by all arguments of the SPEC.",
            "",
            "syscalls:all is counted as a span of each system call, with its name and ret as arguments.",
            "",
            "--json: one object per output, with all keys and exact buckets.",
            "",
            "A SPEC may also be an attach point as bcc writes it (c:malloc, t:sched:sched_switch), or a bpftrace"
                    + " program that counts: count(), hist(), lhist(), sum(), avg(), min(), max() and stats() in maps, by"
                    + " keys that may be ustack and kstack; interval:s:5 { exit(); } ends it:",
            "  'tracepoint:syscalls:sys_exit_read /args.ret > 0/ { @[comm] = hist(args.ret); }'",
            "",
            "Times that a program keeps for another probe are spans; it can be in a file whose name ends in .bt:",
            "  'uprobe:f { @s[tid] = nsecs; } uprobe:g /@s[tid]/ { @ = hist(nsecs - @s[tid]); delete(@s[tid]); }'",
            "",
            "-C and -H take the syntax of bcc's argdist:",
            "  p|r|t|u:LIBRARY|CATEGORY:NAME(SIGNATURE)[:TYPES:EXPRESSIONS[:FILTER]][#LABEL]",
            "  t:syscalls:sys_enter_openat():int:args->flags",
            "  u:node:http__server__request():char*,int:arg3,arg4",
            "Expressions use the names of the signature, $retval, $entry(NAME), $latency, args->FIELD, $PID, $TID and"
                    + " $COMM; kernel functions are not supported.",
            "",
            "Exit codes: 0 success; 1 failure; 2 wrong usage; 77 not permitted or not supported here.",
            "",
            "Examples:",
            "  sudo ./probestream hist -p 4711 'span:libc.so.6:read(fd=arg1:s32)' --by fd",
            "  sudo ./probestream hist -p 4711 'uprobe:uv_fs_open(path=arg3:str)' --top 10",
            "  sudo ./probestream hist -p 4711 'span:libc.so.6:malloc(size=arg1:u64)' \\",
            "      --of size --linear 0:1024:64",
            "  sudo ./probestream hist -p 4711 syscalls:all --by name",
            "  sudo ./probestream hist -p 4711 uprobe:malloc --by ustack --folded --for 10s",
            "  sudo ./probestream hist -p 4711 profile:99 --by ustack -o cpu.html --for 10s",
            "  sudo ./probestream hist -p 4711 span:uv_fs_open --by function --stats",
            "  sudo ./probestream hist -p 4711 -C 'p:c:malloc(size_t size):size_t:size' \\",
            "      -H 'r:c:read(int fd, void *buf, size_t count):u64:$latency:$entry(fd) > 2'"
        })
public final class HistCommand implements Callable<Integer> {
    /** Its line in the list of commands. */
    public static final String HEADER = "Prints counts and histograms of arguments, results and durations.";

    private static final Duration MIN_INTERVAL = Duration.ofMillis(10);

    @Spec
    private CommandSpec spec;

    @Mixin
    private TargetOptions targets;

    @Option(
            names = "--of",
            paramLabel = "VALUE",
            order = 13,
            description = "Show a histogram of VALUE, in powers of two.")
    private @Nullable String of;

    @Option(
            names = "--by",
            split = ",",
            paramLabel = "KEY",
            hideParamSyntax = true,
            order = 14,
            description = "Group by these keys, separated by commas: a count or a histogram for each.")
    private List<String> by = new ArrayList<>();

    @Option(names = "--count", order = 15, description = "Only count; with --of VALUE, count each value.")
    private boolean isCount;

    @Option(
            names = "--linear",
            paramLabel = "FROM:TO:STEP",
            order = 16,
            description = "Use buckets of equal width instead of powers of two, and one bucket each below and above;"
                    + " bounds of durations are in ns.")
    private @Nullable String linear;

    @Option(
            names = "--stats",
            order = 16,
            description = "Show count, average, sum, smallest and greatest of VALUE instead of a histogram.")
    private boolean isStats;

    @Option(names = "-C", paramLabel = "SPEC", order = 17, description = "Count as bcc's argdist -C; can be repeated.")
    private List<String> argdistCounts = new ArrayList<>();

    @Option(
            names = "-H",
            paramLabel = "SPEC",
            order = 18,
            description = "Draw a histogram as bcc's argdist -H; can be repeated.")
    private List<String> argdistHistograms = new ArrayList<>();

    @Option(
            names = "-z",
            paramLabel = "BYTES",
            order = 18,
            description = "Read at most so many bytes of each text in -C and -H. Default: "
                    + ArgdistLine.DEFAULT_TEXT_BYTES + ".")
    private @Nullable Integer textBytes;

    @Option(names = "-e", paramLabel = "PROGRAM", order = 8, description = "A SPEC, as bpftrace takes its programs.")
    private List<String> programs = new ArrayList<>();

    @Mixin
    private LimitOption limit;

    @Mixin
    private IntervalOptions intervals;

    @Mixin
    private JsonOption json;

    @Option(
            names = {"-c", "--cumulative"},
            order = 21,
            description = "Show the counts since the start instead of those of the interval.")
    private boolean isCumulative;

    @Option(
            names = {"-T", "--top"},
            paramLabel = "N",
            order = 22,
            defaultValue = "20",
            description = "Show the N keys with most hits and the sum of the others. Default: ${DEFAULT-VALUE}.")
    private int top;

    @Option(
            names = "--folded",
            order = 23,
            description = "At the end print the totals as folded stacks, one in a line: f;g;h 42. Needs a key that is a"
                    + " stack.")
    private boolean isFolded;

    @Option(
            names = {"-o", "--output"},
            paramLabel = "FILE.html",
            order = 24,
            description = "At the end write the totals as a page with a flame graph. Needs a key that is a stack.")
    private @Nullable Path page;

    @Override
    public Integer call() throws CommandException, IOException, ResolveException {
        check();
        List<String> specs = new ArrayList<>(ScriptFile.read(targets.specs()));
        specs.addAll(programs);
        List<HistogramSpec> histograms = histograms(specs);
        checkFlames(histograms);
        HistogramRequest request = new HistogramRequest(targets.selectionBehindSpecs(), targets.isFollow(), histograms);
        HistRun.Times times = new HistRun.Times(intervals.interval(MIN_INTERVAL), intervals.outputs(), limit(specs));
        Optional<PageFile> file = page == null ? Optional.empty() : Optional.of(new PageFile(page));
        Permission.toRecord();
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        HistOutput output = new HistOutput(
                spec.commandLine().getOut(),
                Terminal.isStandardOutput(),
                json.isJson(),
                isCumulative,
                new HistogramText(top));
        Optional<FlameOutput> flames = isFlame()
                ? Optional.of(new FlameOutput(spec.commandLine().getOut(), isFolded, file, terminal))
                : Optional.empty();
        return new HistRun(request, output, flames, terminal, times).run().value();
    }

    /** That of the option, or of a bpftrace program, whichever is shorter. */
    private Optional<Duration> limit(List<String> lines) {
        return Stream.concat(limit.limit().stream(), lines.stream().flatMap(line -> HistogramLine.limit(line).stream()))
                .min(Duration::compareTo);
    }

    private boolean isFlame() {
        return isFolded || page != null;
    }

    private void check() {
        if (top < 1) {
            throw refused("--top must be greater than 0");
        }
        if (textBytes != null) {
            checkTextBytes(textBytes);
        }
        if (isCount && linear != null) {
            throw refused("--count and --linear exclude each other");
        }
        if (isStats && (isCount || linear != null)) {
            throw refused("--stats excludes --count and --linear");
        }
        if (isFlame() && json.isJson()) {
            throw refused("--folded and -o exclude --json");
        }
    }

    private void checkTextBytes(int bytes) {
        if (bytes < 1 || bytes > ArgumentType.MAX_STRING_BYTES) {
            throw refused("-z must be from 1 to " + ArgumentType.MAX_STRING_BYTES);
        }
        if (argdistCounts.isEmpty() && argdistHistograms.isEmpty()) {
            throw refused("-z is the size of texts in -C and -H; a SPEC has the size in its type, such as"
                    + " path=arg1:str[" + bytes + "]");
        }
    }

    private void checkFlames(List<HistogramSpec> histograms) {
        if (isFlame() && (histograms.size() != 1 || !FoldedStacks.isFoldable(histograms.get(0)))) {
            throw refused("--folded and -o need one SPEC whose counts or sums are kept by stack: --by ustack, kstack or"
                    + " function; averages, minima and maxima do not add up");
        }
    }

    private List<HistogramSpec> histograms(List<String> specs) {
        if (specs.isEmpty() && (of != null || !by.isEmpty() || isCount || isStats || linear != null)) {
            throw refused(
                    "--of, --by, --count, --linear and --stats need a SPEC; they cannot be combined with -C and -H");
        }
        Optional<Bucketing> bucketing = isCount || isStats
                ? Optional.of(isCount ? Bucketing.COUNT : Bucketing.sums(Bucketing.Form.STATS))
                : Optional.ofNullable(linear).map(Bucketing::parseLinear);
        List<HistogramSpec> histograms = new ArrayList<>();
        for (String text : specs) {
            histograms.addAll(HistogramLine.parse(text, Optional.ofNullable(of), by, bucketing));
        }
        int bytes = textBytes == null ? ArgdistLine.DEFAULT_TEXT_BYTES : textBytes;
        argdistCounts.forEach(text -> histograms.add(ArgdistLine.count(text, bytes)));
        argdistHistograms.forEach(text -> histograms.add(ArgdistLine.histogram(text, bytes)));
        if (histograms.isEmpty()) {
            throw refused("no probe selected: specify a SPEC, -C SPEC or -H SPEC");
        }
        return histograms;
    }

    private ParameterException refused(String problem) {
        return new ParameterException(spec.commandLine(), problem);
    }
}
