package dev.probestream.cli.loop;

import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.cli.doctor.Permission;
import dev.probestream.cli.live.LiveRun;
import dev.probestream.cli.options.TargetOptions;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.CollectionRequest;
import dev.probestream.collector.process.ResolveException;
import java.io.IOException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code loop}: what the event loops of Node do, live. */
@Command(
        name = "loop",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = "Shows what the event loops of Node do: turns, lag, phases.",
        customSynopsis = {
            "probestream loop (-p PID... | --comm NAME | --cgroup FOLDER | -- CMD...)",
            "                        [-i SECONDS] [-n N] [--json]",
            "       probestream loop (-p PID... | ... | -- CMD...) --slow TIME [--json]",
        },
        description = {
            "",
            "Each interval shows how often each loop went round, how long it was busy in a turn, and how long each phase"
                    + " and what runs in it took; Ctrl-C shows the whole. With --slow each turn that takes so long is"
                    + " shown when it is over, with what ran in it, and the whole at the end.",
            ""
        },
        footer = {
            "",
            "A turn lasts from the end of one wait to the beginning of the next: whatever becomes ready meanwhile has to"
                    + " wait, so its length is the loop's lag. The poll phase waits first and then calls back what is"
                    + " ready; the callbacks are indented, and part of the phase they run in, as microtasks and"
                    + " garbage collections (GC) are. Workers have loops of their own, told apart by their threads; so"
                    + " has a thread of Node's own that keeps V8's timers (DelayedTaskSche).",
            "",
            "P50, P99: half of them, 99 %% of them took no longer (within 1 %%); COUNT, TOTAL and MAX are exact.",
            "",
            "What is shown is over: a turn that never ends is not seen. A callback that no probe knows counts as waiting"
                    + " when it is the first after a wait.",
            "",
            "What it costs: every phase and callback is probed where it begins and where it ends, some 2 us for both, on"
                    + " the loop's own thread; a turn has 5 phases, so 10,000 turns/s take a tenth of its time or more."
                    + " --slow also probes the calls of the file system. Nothing is paid once it has ended.",
            "",
            "--json: a table is {fromNs, toNs (since 1970, UTC), isTotal, lost, loops [{pid, tid, comm, activeHandles,"
                    + " activeRequests, turns, waits, phases [{name, ...}]}]}, with {count, totalNs, p50Ns, p99Ns, maxNs}"
                    + " of each; a slow turn {timeNs, monotonicNs, durationNs, pid, tid, comm, ran [{name, detail,"
                    + " monotonicNs, durationNs, inside [...]}]}.",
            "",
            "Exit codes: 0 done, also when a signal, the end of the processes or of the reader ended it; 1 failed; 2 wrong"
                    + " usage; 77 not permitted or not supported here.",
            "",
            "Examples:",
            "  sudo ./probestream loop -p 4711",
            "  sudo ./probestream loop -p 4711 -i 10 --json >> loop.log",
            "  sudo ./probestream loop -p 4711 --slow 50ms        # what blocks it",
            "  sudo ./probestream loop -p 4711 --slow 0ms         # every turn"
        })
public final class LoopCommand implements Callable<Integer> {
    /** As for trace: room for a burst while lines are being made slowly by a JVM that just began. */
    private static final int RING_SIZE_BYTES = 16 << 20;

    private static final double DEFAULT_INTERVAL_SECONDS = 1;

    @Spec
    private CommandSpec spec;

    @Mixin
    private TargetOptions targets;

    @Option(
            names = {"-i", "--interval"},
            paramLabel = "SECONDS",
            order = 10,
            description = "How often to show. Default: 1.")
    private @Nullable Double intervalSeconds;

    @Option(names = "-n", paramLabel = "N", order = 11, description = "End after N tables. Default: on Ctrl-C.")
    private @Nullable Integer tables;

    @Option(
            names = "--slow",
            paramLabel = "TIME",
            order = 12,
            description = "Show each turn that takes TIME or longer, such as 50ms, instead of tables.")
    private @Nullable Duration slow;

    @Option(names = "--json", order = 13, description = "Print an object of JSON for each table and turn (see below).")
    private boolean isJson;

    @Override
    public Integer call() throws CommandException, IOException, ResolveException {
        LoopPublisher.Options options = options();
        CollectionRequest request = new CollectionRequest(
                        targets.selection(),
                        LoopProbes.specs(slow != null),
                        Optional.empty(),
                        false,
                        RING_SIZE_BYTES,
                        spec.commandLine().getParent().getParseResult().originalArgs())
                .live();
        Permission.toRecord();
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        return new LiveRun(
                        request,
                        "watching loops",
                        terminal,
                        (output, notices, stop) -> new LoopPublisher(
                                options, ZoneId.systemDefault(), ClockReading::monotonicNowNs, output, stop))
                .run()
                .value();
    }

    private LoopPublisher.Options options() {
        double seconds = intervalSeconds == null ? DEFAULT_INTERVAL_SECONDS : intervalSeconds;
        if (!(seconds >= 0.25 && seconds <= 1e6)) {
            throw refused("-i takes seconds, 0.25 at least");
        }
        if (tables != null && tables < 1) {
            throw refused("-n takes a number greater than 0");
        }
        if (slow != null && (intervalSeconds != null || tables != null)) {
            throw refused("-i and -n are about tables: leave them out with --slow");
        }
        return new LoopPublisher.Options(
                Math.round(seconds * 1e9),
                tables == null ? 0 : tables,
                slow == null ? OptionalLong.empty() : OptionalLong.of(slow.toNanos()),
                isJson,
                Terminal.isStandardOutput());
    }

    private ParameterException refused(String problem) {
        return new ParameterException(spec.commandLine(), problem);
    }
}
