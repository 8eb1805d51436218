package dev.probestream.cli.http;

import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.cli.doctor.Permission;
import dev.probestream.cli.live.LiveRun;
import dev.probestream.cli.options.BudgetOption;
import dev.probestream.cli.options.JsonOption;
import dev.probestream.cli.options.LimitOption;
import dev.probestream.cli.options.TargetOptions;
import dev.probestream.cli.options.VerboseOption;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.cost.Budget;
import dev.probestream.collector.probe.Disclosure;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.preset.ProbeSet;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.convert.request.Request;
import java.io.IOException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code http}: prints the requests that Node serves and sends, live. */
@Command(
        name = "http",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = HttpCommand.HEADER,
        customSynopsis = {
            "probestream http (-p PID... | --comm NAME | --cgroup FOLDER | -- CMD...)",
            "                        [--follow] [--for TIME]",
            "                        [--server | --client] [--status STATUS] [--slow TIME]",
            "                        [--show-query] [--show-paths] [-M LINES]",
            "                        [--budget PERCENT] [--json] [-v]",
        },
        description = {
            "",
            "Prints a line for each completed request of http and https in unmodified Node 18 and newer; no code is"
                    + " injected into the process. Tracing ends on Ctrl-C, after --for or -M lines, or when the processes"
                    + " have ended, and prints the requests that are still open. The process is never blocked: hits that"
                    + " arrive faster than they can be printed are dropped, counted and reported; requests they belong to"
                    + " may be missing.",
            ""
        },
        footer = {
            "",
            "Columns: TIME (the end) COMM PID METHOD URL STATUS LATENCY SIDE REMOTE; - = unknown. LATENCY of a server"
                    + " is the time from the first parsed byte to the last written byte of the response; LATENCY of a"
                    + " client is the time from the first written byte of the request to the last read byte of the"
                    + " response.",
            "",
            "Values in query strings are masked (?user=***) unless --show-query is given, parts of paths that look like a token"
                    + " (/reset/***) unless --show-paths is. Headers and bodies are never read.",
            "",
            "Not supported: HTTP/2, and responses to fetch() and undici, whose parser is WebAssembly.",
            "",
            "Overhead: a GET on a connection that is kept costs the server three probe hits on the event loop's thread, about"
                    + " 0.6 us each, over TLS four; a body one more, a client's request five. Probes are removed when the"
                    + " command ends; the process then runs at full speed again.",
            "",
            "--json: an object for each request: timeNs (the start, since 1970, UTC), monotonicNs, durationNs, headNs"
                    + " (until the response started), pid, tid, comm, side, method, url, status, outcome (complete,"
                    + " upgraded, aborted, open, unobserved, unknown), remote, local, tls, keepAlive, receivedBytes, sentBytes; null ="
                    + " unknown.",
            "",
            "Exit codes: 0 success, also if a signal, the end of the processes or a closed output ended it; 1 failure;"
                    + " 2 wrong usage; 77 not permitted or not supported here.",
            "",
            "Examples:",
            "  sudo ./probestream http -p 4711",
            "  sudo ./probestream http -p 4711 --server --status 5xx,404",
            "  sudo ./probestream http --comm node --client --slow 1s --json"
        })
public final class HttpCommand implements Callable<Integer> {
    /** Its line in the list of commands. */
    public static final String HEADER = "Prints the HTTP requests that Node serves and sends.";

    /** Room for a burst while the JVM has just started and is still slow, as in trace. */
    @Spec
    private CommandSpec spec;

    @Mixin
    private TargetOptions targets;

    @Option(names = "--server", order = 10, description = "Only requests that the process serves.")
    private boolean onlyServer;

    @Option(names = "--client", order = 11, description = "Only requests that it sends.")
    private boolean onlyClient;

    @Option(
            names = "--status",
            split = ",",
            paramLabel = "STATUS",
            hideParamSyntax = true,
            order = 12,
            description =
                    "Only requests with this status: 404, or 5xx for 500 to 599; several are separated by commas.")
    private List<String> statuses = new ArrayList<>();

    @Option(
            names = "--slow",
            paramLabel = "TIME",
            order = 13,
            defaultValue = "0ms",
            description = "Only requests that took TIME or longer, such as 100ms. Default: all.")
    private Duration slow = Duration.ZERO;

    @Option(
            names = "--show-query",
            order = 14,
            description = "Show the values in query strings, which may contain secrets.")
    private boolean showQuery;

    @Option(names = "--show-paths", order = 14, description = "Show the parts of paths that look like a token.")
    private boolean showPaths;

    @Option(
            names = "-M",
            paramLabel = "LINES",
            order = 15,
            defaultValue = "0",
            description = "Stop after LINES lines. Default: no limit.")
    private long maxLines;

    @Mixin
    private LimitOption limit;

    @Mixin
    private BudgetOption budget;

    @Mixin
    private JsonOption json;

    @Mixin
    private VerboseOption verbose;

    @Override
    public Integer call() throws CommandException, IOException, ResolveException {
        HttpPublisher.Options options = new HttpPublisher.Options(filter(), json.isJson(), maxLines);
        CollectionRequest request = CollectionRequest.of(targets.selection())
                .probes(ProbeSet.named("node-http").probes())
                .limit(limit.limit())
                .followChildren(targets.isFollow())
                .commandLine(spec.commandLine().getParent().getParseResult().originalArgs())
                .live()
                .showing(new Disclosure(showQuery, showPaths, false))
                .budget(budget.budget(Budget.GUARD_ONLY))
                .toolVersion(Version.current())
                .build();
        Permission.toRecord();
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        return new LiveRun(
                        request,
                        "tracing requests",
                        terminal,
                        (output, warnings, stop) -> new HttpPublisher(
                                options, ZoneId.systemDefault(), ClockReading::monotonicNowNs, output, warnings, stop))
                .verbose(verbose.isVerbose())
                .run()
                .value();
    }

    private HttpFilter filter() {
        for (String status : statuses) {
            if (!HttpFilter.isStatus(status)) {
                throw refused("invalid status '" + status + "': expected a number such as 404 or a class such as 5xx");
            }
        }
        if (maxLines < 0) {
            throw refused("-M must be at least 1");
        }
        Optional<Request.Side> side = onlyServer == onlyClient
                ? Optional.empty()
                : Optional.of(onlyServer ? Request.Side.SERVER : Request.Side.CLIENT);
        return new HttpFilter(side, statuses, slow.toNanos());
    }

    private ParameterException refused(String problem) {
        return new ParameterException(spec.commandLine(), problem);
    }
}
