package dev.probestream.cli.watch;

import dev.probestream.cli.doctor.Permission;
import dev.probestream.cli.options.ByteCountConverter;
import dev.probestream.cli.options.ProbeOptions;
import dev.probestream.cli.options.TargetOptions;
import dev.probestream.cli.options.VerboseOption;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.OutputFolder;
import dev.probestream.cli.terminal.Summary;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.cost.Budget;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.publish.RingPublisher;
import dev.probestream.collector.request.CollectionOutcome;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.PieceLength;
import dev.probestream.collector.request.TargetSelection;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code watch}: a flight recorder. */
@Command(
        name = "watch",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = WatchCommand.HEADER,
        customSynopsis = {
            "probestream watch (-p PID... | --comm NAME | --cgroup FOLDER | --all |",
            "                          -- CMD...)",
            "                         -o DIR [--keep TIME] [--max SIZE]",
            "                         [--probes SETS_OR_SPEC]... [--for TIME] [--follow]",
            "                         [--ring-size SIZE] [--show-query] [--show-paths]",
            "                         [--show-args] [--budget PERCENT] [-v]",
        },
        description = {
            "",
            "Records as 'record' does, for days, and keeps the last minutes in recordings in DIR/ring. 'incidents take DIR'"
                    + " makes an incident of them: a folder with one recording, its report and a trace. Nobody has to"
                    + " attach while it happens.",
            "",
            "A recording is deleted when it ended more than --keep ago, or when all take more than --max, or when less"
                    + " than 5 %% of the disk is free. After a restart what is there is kept on. A kill loses the last"
                    + " second, a crash of the machine the last 10 seconds.",
            ""
        },
        footer = {
            "",
            "Needs CAP_BPF and CAP_PERFMON, and CAP_SYS_PTRACE for processes of other users; root has them.",
            "",
            "Exit codes: 0 success, also if a signal or the end of the processes ended it; 1 failure; 2 wrong usage;"
                    + " 77 not permitted or not supported here.",
            "",
            "Examples:",
            "  sudo ./probestream watch --comm node -o incidents/",
            "  sudo ./probestream incidents take incidents/ -n 'support case 4711'"
        })
public final class WatchCommand implements Callable<Integer> {
    /** Its line in the list of commands. */
    public static final String HEADER = "Keeps the last minutes on disk, for when an incident is noticed.";

    /** It runs for months. */
    private static final Budget WATCH_BUDGET = Budget.ofShare(0.03);

    private static final long MIN_BYTES = 64L << 20;
    private static final Duration MIN_KEEP = Duration.ofSeconds(10);

    /** So many recordings, or more, make up what is kept: as much more than that may be deleted or kept. */
    private static final int PIECES = 10;

    /** Of the disk this part stays free. */
    private static final int MIN_FREE_PART = 20;

    @Spec
    private CommandSpec spec;

    @Mixin
    private TargetOptions targets;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "DIR",
            order = 6,
            description = "The folder of the incidents; it is created if it does not exist.")
    private Path output = Path.of("");

    @Option(
            names = "--keep",
            paramLabel = "TIME",
            order = 6,
            description = "Keep at least the last TIME. Default: 10m.")
    private Duration keep = Duration.ofMinutes(10);

    @Option(
            names = "--max",
            paramLabel = "SIZE",
            order = 6,
            converter = ByteCountConverter.class,
            description = "Take at most SIZE of the disk for it, such as 512M. Default: 2G.")
    private long maxBytes = 2L << 30;

    @Mixin
    private ProbeOptions probes;

    @Mixin
    private VerboseOption verbose;

    @Override
    public Integer call() throws CommandException, IOException, ResolveException {
        TargetSelection selection = targets.selection();
        if (keep.compareTo(MIN_KEEP) < 0) {
            throw new ParameterException(spec.commandLine(), "--keep must be at least 10s");
        }
        if (maxBytes < MIN_BYTES) {
            throw new ParameterException(spec.commandLine(), "--max must be at least 64M");
        }
        CollectionRequest request = probes.begin(selection, targets, "watch", WATCH_BUDGET)
                .pieceLength(pieceLength())
                .build();
        Permission.toRecord();
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        OutputFolder.check(output, "cannot write " + output);
        OutputFolder.create(output);
        Watch watch = new Watch(request, output, bounds(), terminal, verbose.isVerbose());
        CollectionOutcome outcome = watch.run();
        Summary.requireFound(outcome.misspelled());
        return ExitCode.DONE.value();
    }

    private PieceLength pieceLength() {
        Duration part = keep.dividedBy(PIECES);
        PieceLength standard = PieceLength.DEFAULT;
        return new PieceLength(
                part.compareTo(standard.duration()) < 0 ? part : standard.duration(),
                Math.min(maxBytes / PIECES, standard.bytes()));
    }

    private RingPublisher.Bounds bounds() throws IOException {
        return new RingPublisher.Bounds(
                keep, maxBytes, Files.getFileStore(output).getTotalSpace() / MIN_FREE_PART);
    }
}
