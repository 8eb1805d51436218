package dev.probestream.cli.loop;

import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.cli.doctor.Permission;
import dev.probestream.cli.live.LiveRun;
import dev.probestream.cli.options.BudgetOption;
import dev.probestream.cli.options.IntervalOptions;
import dev.probestream.cli.options.JsonOption;
import dev.probestream.cli.options.LimitOption;
import dev.probestream.cli.options.TargetOptions;
import dev.probestream.cli.options.VerboseOption;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.cost.Budget;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.request.CollectionRequest;
import java.io.IOException;
import java.time.Duration;
import java.time.ZoneId;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code loop}: prints statistics of the event loops of Node, live. */
@Command(
        name = "loop",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = LoopCommand.HEADER,
        customSynopsis = {
            "probestream loop (-p PID... | --comm NAME | --cgroup FOLDER | -- CMD...)",
            "                        [--follow] [--for TIME] [-i TIME] [-n N]",
            "                        [--budget PERCENT] [--json] [-v]",
            "       probestream loop (-p PID... | ... | -- CMD...) --slow TIME [--json] [-v]",
        },
        description = {
            "",
            "Each interval shows the turns of each loop, how long the loop was busy in a turn, and how long each phase"
                    + " and its callbacks took; Ctrl-C shows the totals. With --slow, each turn that takes TIME or longer is"
                    + " shown when it ends, with what ran in it, and the totals at the end.",
            ""
        },
        footer = {
            "",
            "A turn lasts from the end of one wait to the start of the next: events that become ready meanwhile have to"
                    + " wait, so its length is the loop's lag. The poll phase first waits and then runs the callbacks of ready"
                    + " events. Callbacks are indented and are part of the phase they run in, as are microtasks and"
                    + " garbage collections (GC). Each Worker has its own loop, identified by its thread, and so"
                    + " does the thread that runs V8's timers (DelayedTaskSche).",
            "",
            "P50 and P99 are quantiles with an error of at most 1 %%; COUNT, TOTAL and MAX are exact.",
            "",
            "Only completed turns are shown; a turn that never ends is not. A callback without a probe counts as waiting"
                    + " if it is the first after a wait.",
            "",
            "Overhead: every phase and callback is probed at its start and its end, about 2 us for both, on"
                    + " the loop's thread; a turn has 5 phases, so 10,000 turns/s cost a tenth of its time or more."
                    + " --slow also probes file system calls. Probes are removed when the command ends; the process then runs at full"
                    + " speed again.",
            "",
            "--json: a table is {fromNs, toNs (since 1970, UTC), isTotal, lost, loops [{pid, tid, comm, activeHandles,"
                    + " activeRequests, turns, waits, phases [{name, ...}]}]}, with {count, totalNs, p50Ns, p99Ns, maxNs}"
                    + " of each; a slow turn {timeNs, monotonicNs, durationNs, pid, tid, comm, ran [{name, detail,"
                    + " monotonicNs, durationNs, inside [...]}]}.",
            "",
            "Exit codes: 0 success, also if a signal, the end of the processes or a closed output ended it; 1 failure; 2 wrong"
                    + " usage; 77 not permitted or not supported here.",
            "",
            "Examples:",
            "  sudo ./probestream loop -p 4711",
            "  sudo ./probestream loop -p 4711 -i 10s --json >> loop.log",
            "  sudo ./probestream loop -p 4711 --slow 50ms        # what blocks it",
            "  sudo ./probestream loop -p 4711 --slow 0ms         # every turn"
        })
public final class LoopCommand implements Callable<Integer> {
    /** Its line in the list of commands. */
    public static final String HEADER = "Shows the event loops of Node: turns, lag, phases.";

    /** Room for a burst while the JVM has just started and is still slow, as in trace. */
    private static final Duration MIN_INTERVAL = Duration.ofMillis(250);

    @Spec
    private CommandSpec spec;

    @Mixin
    private TargetOptions targets;

    @Mixin
    private IntervalOptions intervals;

    @Option(
            names = "--slow",
            paramLabel = "TIME",
            order = 12,
            description = "Show each turn that takes TIME or longer, such as 50ms, instead of tables.")
    private @Nullable Duration slow;

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
        LoopPublisher.Options options = options();
        CollectionRequest request = CollectionRequest.of(targets.selection())
                .probes(LoopProbes.specs(slow != null))
                .limit(limit.limit())
                .followChildren(targets.isFollow())
                .commandLine(spec.commandLine().getParent().getParseResult().originalArgs())
                .live()
                .budget(budget.budget(Budget.GUARD_ONLY))
                .toolVersion(Version.current())
                .build();
        Permission.toRecord();
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        LiveRun run = new LiveRun(
                        request,
                        "tracing event loops",
                        terminal,
                        (output, warnings, stop) -> new LoopPublisher(
                                options, ZoneId.systemDefault(), ClockReading::monotonicNowNs, output, stop))
                .verbose(verbose.isVerbose());
        try {
            return run.run().value();
        } catch (ResolveException e) {
            if (e.reason() == ResolveException.Reason.NO_FUNCTION) {
                throw withoutLoop(request, e);
            }
            throw e;
        }
    }

    private static CommandException withoutLoop(CollectionRequest request, ResolveException e) {
        List<Integer> pids = request.targets().pids();
        return new CommandException(
                ExitCode.FAILED,
                "cannot trace event loops: the program is not Node.js, or it is stripped and its functions have no names ("
                        + (pids.size() == 1
                                ? "'doctor -p " + pids.get(0) + "' checks the process"
                                : "'doctor -p PID' checks a process")
                        + ")",
                e);
    }

    private LoopPublisher.Options options() {
        if (slow != null && intervals.isGiven()) {
            throw refused("-i and -n cannot be combined with --slow");
        }
        return new LoopPublisher.Options(
                intervals.interval(MIN_INTERVAL).toNanos(),
                intervals.outputs(),
                slow == null ? OptionalLong.empty() : OptionalLong.of(slow.toNanos()),
                json.isJson(),
                Terminal.isStandardOutput());
    }

    private ParameterException refused(String problem) {
        return new ParameterException(spec.commandLine(), problem);
    }
}
