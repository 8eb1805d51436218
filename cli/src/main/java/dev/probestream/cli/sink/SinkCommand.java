package dev.probestream.cli.sink;

import dev.probestream.cli.metrics.MetricsException;
import dev.probestream.cli.metrics.MetricsServer;
import dev.probestream.cli.metrics.SinkMetrics;
import dev.probestream.cli.options.InstantConverter;
import dev.probestream.cli.options.KafkaOptions;
import dev.probestream.cli.options.MetricsOption;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.ServiceLog;
import dev.probestream.cli.terminal.Signals;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.sink.IncidentWindow;
import dev.probestream.sink.Sink;
import dev.probestream.sink.SinkException;
import dev.probestream.sink.SinkRequest;
import dev.probestream.sink.finish.SinkFormat;
import dev.probestream.sink.segment.Rolling;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** {@code sink}: Kafka to finished files, each event in them once. */
@Command(
        name = "sink",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = "Makes files of what collectors sent to Kafka.",
        customSynopsis = {
            "probestream sink (perfetto | chrome | parquet) --kafka HOST:PORT[,...] -o DIR",
            "                        [--slice TIME] [--group NAME] [--once]",
            "                        [--capture ID]... [--from MOMENT] [--to MOMENT]",
        },
        description = {
            "",
            "Cuts every capture into slices of time and writes one trace per slice, or Parquet tables in folders by day"
                    + " and hour. Each event is in the finished files once, whatever is killed or restarted meanwhile: a"
                    + " file has its name only when it is whole and on disk, and a restart goes on from what the folder"
                    + " says.",
            "",
            "Instances with one --group share the work; all of them must write to the same DIR.",
            ""
        },
        footer = {
            "",
            "--capture, --from and --to cut an incident out of the topic's history into a DIR of its own, alone and"
                    + " without a group, and end.",
            "",
            "Ctrl-C and SIGTERM end it within seconds; slices that are open then are read again by the next run.",
            "",
            "Exit codes: 0 done, also when a signal ended it; 1 failed; 2 wrong usage.",
            "",
            "Examples:",
            "  ./probestream sink parquet --kafka localhost:9092 -o tables/",
            "  ./probestream sink perfetto --kafka localhost:9092 -o traces/ --once",
            "  ./probestream sink perfetto --kafka localhost:9092 -o incident/ \\",
            "       --from 2026-11-21T14:00:00Z --to 2026-11-21T14:05:00Z"
        })
public final class SinkCommand implements Callable<Integer> {
    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "FORMAT",
            converter = FormatConverter.class,
            description = {
                "What to write:",
                "perfetto   a trace per slice for https://ui.perfetto.dev",
                "chrome   a trace per slice for chrome://tracing",
                "parquet   tables for DuckDB, Spark, Trino, pandas"
            })
    private SinkFormat format;

    @Mixin
    private KafkaOptions kafka;

    @Option(
            names = {"-o", "--output"},
            required = true,
            paramLabel = "DIR",
            order = 13,
            description = "The folder of the files, made if it is missing. It remembers how far they go.")
    private Path folder;

    @Option(
            names = "--group",
            paramLabel = "NAME",
            order = 14,
            description = "The consumer group of the instances that share the work. Default: probestream-FORMAT.")
    private @Nullable String group;

    @Mixin
    private RollingOptions rolling;

    @Option(names = "--once", order = 19, description = "End when everything that is in the topic now is in files.")
    private boolean once;

    @Option(
            names = "--capture",
            split = ",",
            paramLabel = "ID",
            hideParamSyntax = true,
            order = 20,
            description = "Only this capture, as 'collect' and the file names call it; can be repeated.")
    private List<Long> captures = List.of();

    @Option(
            names = "--from",
            paramLabel = "MOMENT",
            order = 21,
            converter = InstantConverter.class,
            description = "Only events from this moment on, such as 2026-11-21T14:03:00Z.")
    private @Nullable Instant from;

    @Option(
            names = "--to",
            paramLabel = "MOMENT",
            order = 22,
            converter = InstantConverter.class,
            description = "Only events before this moment.")
    private @Nullable Instant to;

    @Mixin
    private MetricsOption metricsOption;

    @Override
    public Integer call() throws CommandException, MetricsException, SinkException {
        Rolling limits = rolling.rolling();
        Optional<IncidentWindow> window = window();
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        ServiceLog log = new ServiceLog(terminal, InstantSource.system());
        SinkRequest request = request(limits, window, kafka.properties(log));
        PrometheusRegistry registry = new PrometheusRegistry();
        SinkReport report = new SinkReport(folder, log, terminal, new SinkMetrics(registry));
        AtomicBoolean stopped = new AtomicBoolean();
        try (Signals signals = new Signals()) {
            signals.onFirst(() -> stopped.set(true));
            try (MetricsServer metrics = metricsOption.serve(registry);
                    Sink sink = Sink.open(request, report)) {
                MetricsOption.say(metrics, log);
                report.ended(sink.run(stopped::get));
            }
        }
        return ExitCode.DONE.value();
    }

    private SinkRequest request(Rolling limits, Optional<IncidentWindow> window, Map<String, String> properties) {
        if (window.isPresent()) {
            return SinkRequest.cut(format, folder, properties, limits, window.get());
        }
        if (once) {
            return SinkRequest.catchUp(format, folder, properties, limits);
        }
        String name = group == null ? "probestream-" + FormatConverter.word(format) : group;
        return SinkRequest.follow(format, folder, properties, name, limits);
    }

    /** The part of the history that was asked for; empty when all of it is wanted as it comes. */
    private Optional<IncidentWindow> window() {
        boolean isCut = !captures.isEmpty() || from != null || to != null;
        if (group != null && (once || isCut)) {
            throw wrongUsage("--group is for instances that share the work; with --once, --capture, --from or --to a"
                    + " sink works alone");
        }
        if (once && isCut) {
            throw wrongUsage("--once is not needed with --capture, --from or --to: a sink with them ends by itself");
        }
        if (from != null && to != null && !from.isBefore(to)) {
            throw wrongUsage("--from must be earlier than --to");
        }
        return isCut
                ? Optional.of(
                        new IncidentWindow(new HashSet<>(captures), Optional.ofNullable(from), Optional.ofNullable(to)))
                : Optional.empty();
    }

    private ParameterException wrongUsage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }

    /** Reads what a sink is to write: {@code perfetto}, {@code chrome} or {@code parquet}. */
    static final class FormatConverter implements ITypeConverter<SinkFormat> {
        @Override
        public SinkFormat convert(String text) {
            return Arrays.stream(SinkFormat.values())
                    .filter(format -> word(format).equals(text))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException("'" + text + "' is no format; there are "
                            + Arrays.stream(SinkFormat.values())
                                    .map(FormatConverter::word)
                                    .collect(Collectors.joining(", "))));
        }

        /** As it is written on the command line. */
        static String word(SinkFormat format) {
            return format.name().toLowerCase(Locale.ROOT);
        }
    }
}
