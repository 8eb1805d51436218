package dev.probestream.cli.http;

import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.cli.doctor.Permission;
import dev.probestream.cli.live.LiveRun;
import dev.probestream.cli.options.TargetOptions;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.CollectionRequest;
import dev.probestream.collector.probe.ProbeSet;
import dev.probestream.collector.process.ResolveException;
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

/** {@code http}: the requests that Node serves and sends, as lines, while they happen. */
@Command(
        name = "http",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = "Prints the HTTP requests that Node serves and sends.",
        customSynopsis = {
            "probestream http (-p PID... | --comm NAME | --cgroup FOLDER | -- CMD...)",
            "                        [--server | --client] [--status STATUS] [--slow TIME]",
            "                        [--show-query] [-M LINES] [--json]",
        },
        description = {
            "",
            "A line for each request when it is over, of http and https in stock Node 18 and newer; nothing is put into"
                    + " the process. It ends on Ctrl-C, after -M lines, or when the processes are gone, and shows the"
                    + " requests that are not over then. The process is never held up: hits that come faster than they"
                    + " can be printed are counted, and the count is said; requests they belong to may be missing.",
            ""
        },
        footer = {
            "",
            "Columns: TIME (of the end) COMM PID METHOD URL STATUS LATENCY SIDE REMOTE; - = not known. LATENCY of a server is"
                    + " from the first byte that was parsed to the last that was written of the answer; of a client from the"
                    + " first byte of the request that was written to the last of the answer that was read.",
            "",
            "The values in a URL's query are masked (?user=***), unless --show-query is given. Headers and bodies are never"
                    + " read.",
            "",
            "Not seen: HTTP/2, and the answers to fetch() and undici, whose parser is WebAssembly.",
            "",
            "What it costs: a request passes some 10 probes on the loop's own thread, 1 to 2 us each. Nothing is paid"
                    + " once it has ended.",
            "",
            "--json: timeNs (of the beginning, since 1970, UTC), monotonicNs, durationNs, headNs (until the answer began),"
                    + " pid, tid, comm, side, method, url, status, outcome (complete, upgraded, aborted, open), remote,"
                    + " local, tls, keepAlive, receivedBytes, sentBytes; null = not known.",
            "",
            "Exit codes: 0 done, also when a signal, the end of the processes or of the reader ended it; 1 failed; 2 wrong"
                    + " usage; 77 not permitted or not supported here.",
            "",
            "Examples:",
            "  sudo ./probestream http -p 4711",
            "  sudo ./probestream http -p 4711 --server --status 5xx,404",
            "  sudo ./probestream http --comm node --client --slow 1s --json"
        })
public final class HttpCommand implements Callable<Integer> {
    /** As for trace: room for a burst while lines are being made slowly by a JVM that just began. */
    private static final int RING_SIZE_BYTES = 16 << 20;

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
            description = "Only those that were answered so: 404, or 5xx for all from 500 to 599; several with commas.")
    private List<String> statuses = new ArrayList<>();

    @Option(
            names = "--slow",
            paramLabel = "TIME",
            order = 13,
            defaultValue = "0ms",
            description = "Only those that took TIME or longer, such as 100ms.")
    private Duration slow = Duration.ZERO;

    @Option(names = "--show-query", order = 14, description = "Show the values in queries, which may hold secrets.")
    private boolean showQuery;

    @Option(
            names = "-M",
            paramLabel = "LINES",
            order = 15,
            defaultValue = "0",
            description = "End after so many lines.")
    private long maxLines;

    @Option(names = "--json", order = 16, description = "Print an object of JSON for each request (see below).")
    private boolean isJson;

    @Override
    public Integer call() throws CommandException, IOException, ResolveException {
        HttpPublisher.Options options = new HttpPublisher.Options(filter(), isJson, maxLines);
        CollectionRequest request = new CollectionRequest(
                        targets.selection(),
                        ProbeSet.named("node-http").probes(),
                        Optional.empty(),
                        false,
                        RING_SIZE_BYTES,
                        spec.commandLine().getParent().getParseResult().originalArgs())
                .live()
                .showingQueries(showQuery);
        Permission.toRecord();
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        return new LiveRun(
                        request,
                        "watching requests",
                        terminal,
                        (output, notices, stop) -> new HttpPublisher(
                                options, ZoneId.systemDefault(), ClockReading::monotonicNowNs, output, notices, stop))
                .run()
                .value();
    }

    private HttpFilter filter() {
        for (String status : statuses) {
            if (!HttpFilter.isStatus(status)) {
                throw refused("--status takes numbers such as 404 and classes such as 5xx, not '" + status + "'");
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
