package dev.probestream.cli.record;

import dev.probestream.cli.doctor.Permission;
import dev.probestream.cli.nodetrace.TraceCategories;
import dev.probestream.cli.options.NodeTraceOption;
import dev.probestream.cli.options.ProbeOptions;
import dev.probestream.cli.options.TargetOptions;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.OutputFile;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.CollectionRequest;
import dev.probestream.collector.TargetSelection;
import dev.probestream.collector.process.ResolveException;
import java.io.IOException;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
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
            "                          -o FILE|DIR/ [--probes SETS_OR_SPEC]... [--for TIME]",
            "                          [--follow] [--ring-size SIZE] [--show-query]",
            "                          [--v8-trace CATEGORIES]",
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
            "Probe specs:",
            "  uprobe:[PATH:]FUNCTION[+OFFSET]   a function is called; without PATH it is",
            "                                    one of the process's own executable",
            "  uretprobe:[PATH:]FUNCTION         a function returns",
            "  span:[PATH:]FUNCTION              both, as one span with its duration",
            "  usdt:[PATH:]PROVIDER:NAME         a USDT probe, at all its places in all that",
            "                                    the process has mapped or will map",
            "  u:[PATH|PROVIDER:]NAME            a USDT probe or a function, whichever it has",
            "  usdtspan:[PATH:]PROVIDER:BEGIN,END   two USDT probes that a thread passes",
            "                                    one after the other, as one span",
            "  tracepoint:CATEGORY:EVENT         an event of the kernel with its fields",
            "  rawtracepoint:EVENT               the same without fields, but cheaper",
            "  profile:HZ                        samples of what the threads run, with stacks",
            "In FUNCTION, PROVIDER and NAME, * and ? match many; list shows what there is. Then, optionally, what to record:",
            "  (path=arg3:str, size=*arg1:u64@+88 at return, result=ret:s64)",
            "  [ustack] [kstack] [stack] [counter] [pastcheck]",
            "  /fd > 2 && (flags & 0x40) != 0 && path ^= \"/etc/\"/   which hits to record",
            "Types: s8 u8 s16 u16 s32 u32 s64 u64 ptr bool str str[N] char[N]; str[argM] and",
            "str[argM,N] where argument M holds the length, str[..argM] where it points behind",
            "the last byte; gostr for a string of Go, whose length is the next argument;",
            "sockaddr for the address of a socket, and peer and sockname for those of the two",
            "ends of the socket whose descriptor the value is. *arg2:str@16@56 follows two",
            "pointers.",
            "Filters compare with == != < <= > >=, text with == != ^= (begins with), and join",
            "by && || !. They know arguments, recorded names, ret, pid, tid, comm, cpu, uid and,",
            "of a span, duration in ns. What cannot be read passes no comparison, nor its !.",
            "",
            "A FILE that exists is kept as FILE.old. When FILE is a trace, the recording is FILE.avro until the trace is"
                    + " made of it; in DIR it is recording.avro until the tables are made.",
            "",
            "Recording needs CAP_BPF and CAP_PERFMON, and CAP_SYS_PTRACE for processes of other users; root has them.",
            "",
            "Exit codes: 0 done, also when a signal or the end of the processes ended it; 1 failed; 2 wrong usage; 77 not"
                    + " permitted or not supported here.",
            "",
            "Examples:",
            "  sudo ./probestream record -p 4711 --for 10s -o trace.pftrace",
            "  sudo ./probestream record --probes node-fs,node-loop -o app.avro -- node app.js",
            "  sudo ./probestream record -p 4711 --for 1m -o tables/",
            "  sudo ./probestream record -p 4711 --probes incident --for 30s -o incident.avro",
            "  sudo ./probestream record --v8-trace v8,node.http -o app.pftrace -- node app.js",
            "  sudo ./probestream record --comm redis-server --for 5s -o redis.json \\",
            "      --probes 'span:processCommand' --probes sched"
        })
public final class RecordCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Mixin
    private TargetOptions targets;

    @Mixin
    private ProbeOptions probes;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "FILE|DIR/",
            order = 4,
            description = {
                "Where to record to. Its ending says the format:",
                ".avro   the recording, for 'convert' and every Avro tool",
                ".pftrace   a trace for https://ui.perfetto.dev",
                ".json, .json.gz   a trace for chrome://tracing",
                "DIR/   a folder of Parquet tables, made when it is missing: events, spans, requests, stacks,"
                        + " processes, threads, probes, captures, losses"
            })
    private String output = "";

    @Mixin
    private NodeTraceOption nodeTrace;

    @Spec
    void listProbeSets(CommandSpec command) {
        ProbeOptions.listProbeSets(command.usageMessage());
    }

    @Override
    public Integer call() throws CommandException, IOException, ResolveException {
        TargetSelection selection = targets.selection();
        OutputFile file = OutputFile.check(output);
        Optional<TraceCategories> categories = nodeTrace.categories(selection, file);
        Permission.toRecord();
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        if (categories.isEmpty()) {
            return new Recording(probes.request(selection), file, terminal)
                    .run()
                    .value();
        }
        try (RecordedNodeTrace trace = RecordedNodeTrace.of(selection, categories.get(), terminal)) {
            CollectionRequest request = probes.request(trace.selection());
            return new Recording(request, file, terminal).run(trace).value();
        }
    }
}
