package dev.probestream.cli.trace;

import dev.probestream.cli.doctor.Permission;
import dev.probestream.cli.live.LiveRun;
import dev.probestream.cli.options.JsonOption;
import dev.probestream.cli.options.LimitOption;
import dev.probestream.cli.options.ScriptFile;
import dev.probestream.cli.options.TargetOptions;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.dialect.Message;
import dev.probestream.collector.dialect.TraceLine;
import dev.probestream.collector.probe.Disclosure;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.collector.request.CollectionRequest;
import java.io.IOException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code trace}: prints the hits of probes as lines, live. */
@Command(
        name = "trace",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = TraceCommand.HEADER,
        customSynopsis = {
            "probestream trace (-p PID... | --comm NAME | --cgroup FOLDER | --all)",
            "                         (SPEC | -e PROGRAM)... [--follow] [--for TIME]",
            "                         [-T | -t | -u] [-CUK] [-n NAME] [-M LINES]",
            "                         [--show-args] [--json]",
            "       probestream trace SPEC... [OPTIONS] -- CMD...",
        },
        description = {
            "",
            "Each SPEC is a probe spec (see 'help specs'), a line of bcc's trace, or a bpftrace program that"
                    + " prints. Tracing ends on Ctrl-C, after --for or -M lines, or when the processes have ended. The"
                    + " processes are never blocked: hits that arrive faster than they can be printed are dropped, counted"
                    + " and reported.",
            ""
        },
        footer = {
            "",
            "Probe specs (arguments are printed with their names, spans with their duration):",
            "  'span:uv_fs_open(path=arg3:str, result=ret:s32) /path ^= \"/etc/\"/'",
            "  'tracepoint:syscalls:sys_enter_openat [ustack]'",
            "bcc's trace (the first argument is arg1; a library or program is given by name or path):",
            "  'p:node:uv_fs_open \"%%s\", arg3'",
            "  'c:malloc \"%%lu\", arg1'",
            "  'u:node:http__server__request \"%%s %%s %%s\", arg3, arg5, arg6'",
            "  'p:c:open(const char *path, int flags) (flags & 1) \"%%s %%x\", path, flags'",
            "  'r:c:read ((int)retval > 0) \"read: %%d\", retval'",
            "  't:syscalls:sys_enter_openat \"%%s\", args->filename'",
            "bpftrace (the first argument is arg0):",
            "  'u:/usr/bin/node:uv_fs_open /pid == 1/ { printf(\"%%s\\n\", str(arg2)) }'",
            "  'uretprobe:libc:read /retval > 100/ { printf(\"%%d bytes\\n\", retval); }'",
            "  'usdt:/opt/x.node:node:http__server__request { printf(\"%%s\\n\", str(arg5)); }'",
            "  't:syscalls:sys_enter_openat { printf(\"%%s %%s\\n\", comm, str(args.filename)); }'",
            "In each of them, u: is a USDT probe or a function, whichever exists. A bpftrace program can be"
                    + " in a file whose name ends in .bt; what it keeps by @name[tid] = arg0 at one probe is printed at"
                    + " another. Lines that count are rejected; use 'hist' to count.",
            "",
            "Columns: TIME in seconds since the start, CPU (with -C), PID, TID, COMM, PROBE, the message. A bpftrace printf prints"
                    + " only its text. ? = could not be read. Control characters are shown as \\n"
                    + " or \\x1b.",
            "",
            "--json: an object for each hit: timeNs (since 1970, UTC), monotonicNs, durationNs (spans), pid, tid, cpu,"
                    + " comm, probe, message, arguments {name: value}, returned, stack [{symbol, module, offset, kind,"
                    + " file, line}], unavailable [names].",
            "",
            "Exit codes: 0 success, also if a signal, the end of the processes or a closed output ended it; 1 failure;"
                    + " 2 wrong usage; 77 not permitted or not supported here.",
        })
public final class TraceCommand implements Callable<Integer> {
    /** Its line in the list of commands. */
    public static final String HEADER = "Prints the hits of probes as lines, live.";

    /** Room for a burst of 100,000 lines, even while the JVM has just started and is still slow. */
    @Spec
    private CommandSpec spec;

    @Mixin
    private TargetOptions targets;

    @Option(names = "-e", paramLabel = "PROGRAM", order = 9, description = "A SPEC, as bpftrace takes its programs.")
    private List<String> programs = new ArrayList<>();

    @Option(names = "-T", order = 10, description = "Show the time of day, HH:MM:SS.ffffff.")
    private boolean wallTime;

    @Option(names = "-t", order = 10, description = "Show the seconds since the start. This is the default.")
    private boolean timeSinceStart;

    @Option(names = "-u", order = 10, description = "Show the seconds since 1970 (UTC).")
    private boolean unixTime;

    @Option(names = "-C", order = 10, description = "Show the CPU of each hit; of a span that of its start.")
    private boolean cpu;

    @Option(
            names = "-n",
            paramLabel = "NAME",
            order = 10,
            description = "Print only the hits of threads whose name contains NAME. Default: all.")
    private String comm = "";

    @Option(names = "-U", order = 11, description = "Print the program's stack under each line.")
    private boolean userStacks;

    @Option(names = "-K", order = 12, description = "Print the kernel's stack under each line.")
    private boolean kernelStacks;

    @Option(names = "-M", paramLabel = "LINES", order = 13, description = "Stop after LINES lines. Default: no limit.")
    private long maxLines;

    @Option(
            names = "--show-args",
            order = 14,
            description = "Show the arguments of programs that are started (execve and the like) unchanged. Default:"
                    + " passwords, tokens and the like in them are masked.")
    private boolean showArguments;

    @Mixin
    private LimitOption limit;

    @Mixin
    private JsonOption json;

    @Override
    public Integer call() throws CommandException, IOException, ResolveException {
        List<String> specs = new ArrayList<>(ScriptFile.read(targets.specs()));
        specs.addAll(programs);
        if (maxLines < 0) {
            throw new ParameterException(spec.commandLine(), "-M must be at least 1");
        }
        if (wallTime && (timeSinceStart || unixTime)) {
            throw new ParameterException(spec.commandLine(), "-T excludes -t and -u: a line has one time");
        }
        if (specs.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(),
                    "no probe selected: specify a SPEC such as 'uprobe:main' or 't:sched:sched_switch'");
        }
        Map<String, List<Message>> messages = new LinkedHashMap<>();
        List<ProbeSpec> probes = probes(specs, messages);
        CollectionRequest request = CollectionRequest.of(targets.selectionBehindSpecs())
                .probes(probes)
                .limit(limit(specs))
                .followChildren(targets.isFollow())
                .commandLine(spec.commandLine().getParent().getParseResult().originalArgs())
                .showing(new Disclosure(false, false, showArguments))
                .live()
                .toolVersion(Version.current())
                .build();
        Permission.toRecord();
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        absentStacks(probes).forEach(terminal::print);
        TraceOptions options =
                new TraceOptions(messages, timeFormat(), cpu, comm, userStacks, kernelStacks, json.isJson(), maxLines);
        return new LiveRun(
                        request,
                        "tracing",
                        terminal,
                        (output, warnings, stop) ->
                                new TracePublisher(options, ZoneId.systemDefault(), output, warnings, stop))
                .run()
                .value();
    }

    private TraceOptions.TimeFormat timeFormat() {
        return unixTime
                ? TraceOptions.TimeFormat.UNIX
                : wallTime ? TraceOptions.TimeFormat.OF_DAY : TraceOptions.TimeFormat.SINCE_START;
    }

    /** That of the option, or of a bpftrace program, whichever is shorter. */
    private Optional<Duration> limit(List<String> lines) {
        return Stream.concat(limit.limit().stream(), lines.stream().flatMap(line -> TraceLine.limit(line).stream()))
                .min(Duration::compareTo);
    }

    /** The probes; lines for the same values at the same attach point share a probe, and their messages are printed in order. */
    private List<ProbeSpec> probes(List<String> lines, Map<String, List<Message>> messages) {
        Map<String, ProbeSpec> probes = new LinkedHashMap<>();
        for (String line : lines) {
            for (TraceLine parsed : TraceLine.parse(line)) {
                ProbeSpec probe = withStacks(parsed.spec());
                probes.put(probe.text(), probe);
                List<Message> all = messages.computeIfAbsent(probe.text(), unused -> new ArrayList<>());
                parsed.message().ifPresent(all::add);
            }
        }
        return List.copyOf(probes.values());
    }

    /** The kernel has no stack of its own at a probe in the program. */
    private static Stream<String> absentStacks(List<ProbeSpec> probes) {
        return probes.stream()
                .filter(probe ->
                        probe.attached().stream().allMatch(each -> each.kind().isInUserSpace())
                                && probe.stack().kernel())
                .map(probe ->
                        probe.text() + ": no kernel stack, because the program runs its own code when it hits the probe"
                                + " (-U or [ustack] records the program's)");
    }

    private ProbeSpec withStacks(ProbeSpec probe) {
        String flags = (userStacks ? " [ustack]" : "") + (kernelStacks ? " [kstack]" : "");
        return flags.isEmpty() ? probe : SpecParser.parse(probe.text() + flags);
    }
}
