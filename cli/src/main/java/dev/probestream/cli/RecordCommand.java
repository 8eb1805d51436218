package dev.probestream.cli;

import dev.probestream.collector.CollectionRequest;
import dev.probestream.collector.TargetSelection;
import dev.probestream.collector.probe.ProbeSet;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.resolve.ResolveException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code record}: probes on running processes into a file. */
@Command(
        name = "record",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = "Records what processes and their kernel do.",
        customSynopsis = {
            "probestream record (-p PID... | --comm NAME | --cgroup FOLDER | -- CMD...)",
            "                          -o FILE [--probes SETS_OR_SPEC]... [--for TIME]",
            "                          [--follow] [--ring-size SIZE]",
        },
        description = {
            "",
            "Attaches probes, records every hit with its time, thread, arguments and result, and ends after --for, on"
                    + " Ctrl-C, or when the processes are gone; the file is whole in each of these cases. Hits that had"
                    + " to be dropped are counted, and the count is in the recording.",
            ""
        },
        footer = {
            "",
            "Probe sets:",
            "  node-loop     the phases of Node's event loop",
            "  node-fs       its file system calls with path and result: the call, the work",
            "                on the worker pool, the callback",
            "  node-gc       its garbage collections",
            "  syscalls      every system call, with arguments and result",
            "  sched         when the threads ran, on which cpu, and who woke them",
            "  node-*, all   several of them",
            "",
            "Probe specs:",
            "  uprobe:[PATH:]FUNCTION[+OFFSET]   a function is called; without PATH it is",
            "                                    one of the process's own executable",
            "  uretprobe:[PATH:]FUNCTION         a function returns",
            "  span:[PATH:]FUNCTION              both, as one span with its duration",
            "  tracepoint:CATEGORY:EVENT         an event of the kernel with its fields",
            "  rawtracepoint:EVENT               the same without fields, but cheaper",
            "In FUNCTION, * and ? match many. Then, optionally, what to record:",
            "  (path=arg3:str, size=*arg1:u64@+88 at return, result=ret:s64)",
            "  [ustack] [kstack] [stack] [counter] [pastcheck]",
            "Types: s8 u8 s16 u16 s32 u32 s64 u64 ptr bool str str[N] char[N].",
            "",
            "A FILE that exists is kept as FILE.old. When FILE is a trace, the recording is FILE.avro until the trace is"
                    + " made of it.",
            "",
            "Recording needs CAP_BPF and CAP_PERFMON, and CAP_SYS_PTRACE for processes of other users; root has them.",
            "",
            "Exit codes: 0 done, also when a signal or the end of the processes ended it; 1 failed; 2 wrong usage; 77 not"
                    + " permitted or not supported here.",
            "",
            "Examples:",
            "  sudo ./probestream record -p 4711 --for 10s -o trace.pftrace",
            "  sudo ./probestream record --probes node-fs,node-loop -o app.avro -- node app.js",
            "  sudo ./probestream record --comm redis-server --for 5s -o redis.json \\",
            "      --probes 'span:processCommand' --probes sched"
        })
final class RecordCommand implements Callable<Integer> {
    private static final String DEFAULT_RING_SIZE = "16M";

    @Spec
    private CommandSpec spec;

    @Option(
            names = {"-p", "--pid"},
            split = ",",
            paramLabel = "PID",
            order = 1,
            description = "A process with all its threads; can be repeated.")
    private List<Integer> pids = new ArrayList<>();

    @Option(
            names = "--comm",
            paramLabel = "NAME",
            order = 2,
            description = "Every process of this name (as in /proc/PID/comm), also one that starts later.")
    private @Nullable String comm;

    @Option(
            names = "--cgroup",
            paramLabel = "FOLDER",
            order = 3,
            description = "Every process in this control group (version 2) and those below it, such as"
                    + " /sys/fs/cgroup/system.slice/app.service.")
    private @Nullable Path cgroup;

    @Parameters(
            arity = "0..*",
            paramLabel = "-- CMD...",
            hideParamSyntax = true,
            description = "A command to start with the probes in place before its first instruction. It is asked to end"
                    + " (SIGTERM) when it still runs at the end of the recording.")
    private List<String> command = List.of();

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE",
            order = 4,
            description = {
                "Where to record to. Its ending says the format:",
                ".avro   the recording, for 'convert' and every Avro tool",
                ".pftrace   a trace for https://ui.perfetto.dev",
                ".json, .json.gz   a trace for chrome://tracing"
            })
    private Path output = Path.of("");

    @Option(
            names = "--probes",
            paramLabel = "SETS_OR_SPEC",
            order = 5,
            description = "Probe sets, separated by commas, or one probe spec; can be repeated. Default: all sets. A"
                    + " function of a set that the process does not have is left out and named.")
    private List<String> probes = new ArrayList<>();

    @Option(
            names = "--for",
            paramLabel = "TIME",
            order = 6,
            description = "End after TIME, such as 500ms, 10s or 2m. Default: on Ctrl-C.")
    private @Nullable Duration limit;

    @Option(names = "--follow", order = 7, description = "Record the processes' children too, also later ones.")
    private boolean follow;

    @Option(
            names = "--ring-size",
            paramLabel = "SIZE",
            order = 8,
            defaultValue = DEFAULT_RING_SIZE,
            converter = SizeConverter.class,
            description = "Memory between kernel and file, a power of two; more of it outlasts longer bursts. Default:"
                    + " ${DEFAULT-VALUE}.")
    private int ringSizeBytes;

    @Override
    public Integer call() throws CommandException, IOException, ResolveException {
        TargetSelection targets = targets();
        if (limit != null && limit.isZero()) {
            throw wrongUsage("--for must be longer than nothing");
        }
        OutputFile file = OutputFile.check(output);
        List<ProbeSpec> specs = ProbeSet.select(probes.isEmpty() ? List.of("all") : probes);
        Permission.toRecord();
        CollectionRequest request =
                new CollectionRequest(targets, specs, Optional.ofNullable(limit), follow, ringSizeBytes, commandLine());
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        return new Recording(request, file, terminal).run().value();
    }

    private TargetSelection targets() {
        int ways = (pids.isEmpty() ? 0 : 1)
                + (comm == null ? 0 : 1)
                + (cgroup == null ? 0 : 1)
                + (command.isEmpty() ? 0 : 1);
        if (ways != 1) {
            throw wrongUsage(
                    ways == 0
                            ? "say whom to record: -p PID, --comm NAME, --cgroup FOLDER or -- CMD"
                            : "say whom to record in one way only: -p PID, --comm NAME, --cgroup FOLDER or -- CMD");
        }
        if (comm != null) {
            return TargetSelection.ofComm(comm);
        }
        if (cgroup != null) {
            return TargetSelection.ofCgroup(cgroup);
        }
        return pids.isEmpty() ? TargetSelection.ofCommand(command) : TargetSelection.ofPids(pids);
    }

    /** The command line as the user typed it, for the recording to remember. */
    private List<String> commandLine() {
        List<String> words = new ArrayList<>(List.of("probestream"));
        words.addAll(spec.commandLine().getParent().getParseResult().originalArgs());
        return words;
    }

    private ParameterException wrongUsage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
