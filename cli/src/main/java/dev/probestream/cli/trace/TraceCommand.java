package dev.probestream.cli.trace;

import dev.probestream.cli.doctor.Permission;
import dev.probestream.cli.live.LiveRun;
import dev.probestream.cli.options.TargetOptions;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.CollectionRequest;
import dev.probestream.collector.dialect.Message;
import dev.probestream.collector.dialect.TraceLine;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.process.ResolveException;
import java.io.IOException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code trace}: the hits of probes as lines, while they happen. */
@Command(
        name = "trace",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = "Prints the hits of probes, line by line, while they happen.",
        customSynopsis = {
            "probestream trace (-p PID... | --comm NAME | --cgroup FOLDER) SPEC...",
            "                         [-TUK] [-M LINES] [--json]",
            "       probestream trace SPEC... [-TUK] [-M LINES] [--json] -- CMD...",
        },
        description = {
            "",
            "Each SPEC is one of ours (see 'record --help'), or a line of bcc's trace or a bpftrace program that prints."
                    + " It ends on Ctrl-C, after -M lines, or when the processes are gone. The process is never held"
                    + " up: hits that come faster than they can be printed are counted, and the count is said.",
            ""
        },
        footer = {
            "",
            "Ours: arguments are printed with their names, spans with their duration:",
            "  'span:uv_fs_open(path=arg3:str, result=ret:s32) /path ^= \"/etc/\"/'",
            "  'tracepoint:syscalls:sys_enter_openat [ustack]'",
            "bcc's trace (arguments count from 1; a library or a program by its name or path):",
            "  'p:node:uv_fs_open \"%%s\", arg3'",
            "  'c:malloc \"%%lu\", arg1'",
            "  'u:node:http__server__request \"%%s %%s %%s\", arg3, arg5, arg6'",
            "  'p:c:open(const char *path, int flags) (flags & 1) \"%%s %%x\", path, flags'",
            "  'r:c:read ((int)retval > 0) \"read: %%d\", retval'",
            "  't:syscalls:sys_enter_openat \"%%s\", args->filename'",
            "bpftrace (arguments count from 0):",
            "  'u:/usr/bin/node:uv_fs_open /pid == 1/ { printf(\"%%s\\n\", str(arg2)) }'",
            "  'uretprobe:libc:read /retval > 100/ { printf(\"%%d bytes\\n\", retval); }'",
            "  'usdt:/opt/x.node:node:http__server__request { printf(\"%%s\\n\", str(arg5)); }'",
            "  't:syscalls:sys_enter_openat { printf(\"%%s %%s\\n\", comm, str(args.filename)); }'",
            "In all of them u: is a USDT probe or a function, whichever there is. What of the two languages only counts,"
                    + " keeps state or computes is refused; 'hist' counts.",
            "",
            "Columns: TIME in seconds since the start, PID, TID, COMM, PROBE, the message. A bpftrace printf prints what it"
                    + " says and nothing else. ? = could not be read. Control characters are shown as \\n or \\x1b.",
            "",
            "--json: timeNs (since 1970, UTC), monotonicNs, durationNs (spans), pid, tid, cpu, comm, probe, message,"
                    + " arguments {name: value}, returned, stack [{symbol, module, offset, kind, file, line}], unavailable [names].",
            "",
            "Exit codes: 0 done, also when a signal, the end of the processes or of the reader ended it; 1 failed; 2 wrong"
                    + " usage; 77 not permitted or not supported here.",
        })
public final class TraceCommand implements Callable<Integer> {
    /** Room for a burst of 100,000 lines, also while the first of them are still being made slowly by a JVM that just began. */
    private static final int RING_SIZE_BYTES = 16 << 20;

    @Spec
    private CommandSpec spec;

    @Mixin
    private TargetOptions targets;

    @Option(names = "-T", order = 10, description = "Show the time of day, HH:MM:SS.ffffff.")
    private boolean wallTime;

    @Option(names = "-U", order = 11, description = "Print the program's stack under each line.")
    private boolean userStacks;

    @Option(names = "-K", order = 12, description = "Print the kernel's stack under each line.")
    private boolean kernelStacks;

    @Option(names = "-M", paramLabel = "LINES", order = 13, description = "End after so many lines.")
    private long maxLines;

    @Option(names = "--json", order = 14, description = "Print an object of JSON for each hit (see below).")
    private boolean json;

    @Override
    public Integer call() throws CommandException, IOException, ResolveException {
        List<String> words = targets.words();
        int commandWords = wordsBehindDashes();
        List<String> specs = words.subList(0, words.size() - commandWords);
        List<String> command = words.subList(words.size() - commandWords, words.size());
        if (maxLines < 0) {
            throw new ParameterException(spec.commandLine(), "-M must be at least 1");
        }
        if (specs.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "say what to trace: a SPEC such as 'uprobe:main' or 't:sched:sched_switch'");
        }
        Map<String, List<Message>> messages = new LinkedHashMap<>();
        List<ProbeSpec> probes = probes(specs, messages);
        CollectionRequest request = new CollectionRequest(
                        targets.selection(command),
                        probes,
                        Optional.empty(),
                        false,
                        RING_SIZE_BYTES,
                        spec.commandLine().getParent().getParseResult().originalArgs())
                .live();
        Permission.toRecord();
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        TraceOptions options = new TraceOptions(messages, wallTime, userStacks, kernelStacks, json, maxLines);
        return new LiveRun(
                        request,
                        "tracing",
                        terminal,
                        (output, notices, stop) ->
                                new TracePublisher(options, ZoneId.systemDefault(), output, notices, stop))
                .run()
                .value();
    }

    /** The probes; lines about the same values at the same place share one, and their messages are printed in turn. */
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

    private ProbeSpec withStacks(ProbeSpec probe) {
        String flags = (userStacks ? " [ustack]" : "") + (kernelStacks ? " [kstack]" : "");
        return flags.isEmpty() ? probe : ProbeSpec.parse(probe.text() + flags);
    }

    /** Both specs and a command's words are plain words; only the two dashes tell them apart. */
    private int wordsBehindDashes() {
        List<String> all = spec.commandLine().getParent().getParseResult().originalArgs();
        int dashes = all.indexOf("--");
        return dashes < 0 ? 0 : all.size() - dashes - 1;
    }
}
