package dev.probestream.cli.sink;

import dev.probestream.cli.metrics.MetricsException;
import dev.probestream.cli.metrics.MetricsServer;
import dev.probestream.cli.metrics.SinkMetrics;
import dev.probestream.cli.options.InstantConverter;
import dev.probestream.cli.options.KafkaOptions;
import dev.probestream.cli.options.MetricsOption;
import dev.probestream.cli.options.RegistryOptions;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.ServiceLog;
import dev.probestream.cli.terminal.Signals;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.schema.message.MessageFraming;
import dev.probestream.schema.message.RegistryFraming;
import dev.probestream.schema.registry.SchemaRegistryException;
import dev.probestream.sink.IncidentWindow;
import dev.probestream.sink.Sink;
import dev.probestream.sink.SinkException;
import dev.probestream.sink.SinkOutcome;
import dev.probestream.sink.SinkRequest;
import dev.probestream.sink.finish.SinkFormat;
import dev.probestream.sink.segment.Rolling;
import io.prometheus.metrics.model.registry.PrometheusRegistry;
import java.nio.file.Path;
import java.time.Duration;
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

/** {@code sink}: writes events from Kafka to files, each event exactly once. */
@Command(
        name = "sink",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = SinkCommand.HEADER,
        customSynopsis = {
            "probestream sink (perfetto | chrome | parquet) --kafka HOST:PORT[,...]",
            "                        [--kafka-config FILE] [--topic-prefix NAME] -o DIR",
            "                        [--group NAME] [--once] [--timeout TIME]",
            "                        [--slice TIME] [--max-events N] [--max-size SIZE]",
            "                        [--idle TIME] [--capture ID]... [--from TIME]",
            "                        [--to TIME] [--schema-registry URL]",
            "                        [--schema-registry-config FILE] [--metrics-port PORT]",
        },
        description = {
            "",
            "Divides every capture into segments by time and writes one trace per segment, or Parquet tables in"
                    + " folders by day and hour. The finished files contain each event exactly once, even if processes are"
                    + " killed or restarted: a file gets its name only when it is complete and on disk, and a restart"
                    + " continues at the position stored in the folder.",
            "",
            "Instances with the same --group share the work; all must write to the same DIR. A group's second DIR is"
                    + " refused. With --once, instances with the same DIR share the partitions, and each ends when all are"
                    + " in files.",
            ""
        },
        footer = {
            "",
            "--capture, --from and --to extract an incident from the topic's history into a separate DIR, without a"
                    + " consumer group; the sink then ends.",
            "",
            "Ctrl-C and SIGTERM end it within seconds; the next run reads open segments again.",
            "",
            "Exit codes: 0 success, also if a signal ended it; 1 failure; 2 wrong usage.",
            "",
            "Examples:",
            "  ./probestream sink parquet --kafka localhost:9092 -o tables/",
            "  ./probestream sink perfetto --kafka localhost:9092 -o traces/ --once",
            "  ./probestream sink perfetto --kafka localhost:9092 -o incident/ \\",
            "       --from 2026-11-21T14:00:00Z --to 2026-11-21T14:05:00Z"
        })
public final class SinkCommand implements Callable<Integer> {
    /** Its line in the list of commands. */
    public static final String HEADER = "Writes captures from Kafka to files.";

    @Spec
    private CommandSpec spec;

    @Parameters(
            paramLabel = "FORMAT",
            converter = FormatConverter.class,
            description = {
                "The output format:",
                "perfetto   one trace per segment for https://ui.perfetto.dev",
                "chrome   one trace per segment for chrome://tracing",
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
            description = "The output folder, created if it does not exist. It also stores the position in the topic.")
    private Path folder;

    @Option(
            names = "--group",
            paramLabel = "NAME",
            order = 14,
            description = "The consumer group of the instances that share the work. Default: probestream-FORMAT.")
    private @Nullable String group;

    @Mixin
    private RollingOptions rolling;

    @Option(names = "--once", order = 19, description = "End when all events that are in the topic now are in files.")
    private boolean once;

    @Option(
            names = "--timeout",
            paramLabel = "TIME",
            order = 19,
            description =
                    "With --once, --capture, --from or --to: fail when the broker, the topics or space on the disk"
                            + " have been missing for TIME. Default: 1m. Without these, a sink waits until they are there.")
    private @Nullable Duration timeout;

    @Option(
            names = "--capture",
            split = ",",
            paramLabel = "ID",
            hideParamSyntax = true,
            order = 20,
            description = "Only this capture: the id printed by 'collect' and used in file names; can be repeated.")
    private List<Long> captures = List.of();

    @Option(
            names = "--from",
            paramLabel = "TIME",
            order = 21,
            converter = InstantConverter.class,
            description = "Only events at or after this time, such as 2026-11-21T14:03:00Z.")
    private @Nullable Instant from;

    @Option(
            names = "--to",
            paramLabel = "TIME",
            order = 22,
            converter = InstantConverter.class,
            description = "Only events before this time.")
    private @Nullable Instant to;

    @Mixin
    private RegistryOptions registry;

    @Mixin
    private MetricsOption metricsOption;

    @Override
    public Integer call() throws CommandException, MetricsException, SinkException, SchemaRegistryException {
        Rolling limits = rolling.rolling();
        Optional<IncidentWindow> window = window();
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        ServiceLog log = new ServiceLog(terminal, InstantSource.system());
        Map<String, String> properties = kafka.properties(log);
        MessageFraming framing = registry.registry(log)
                .<MessageFraming>map(RegistryFraming::reading)
                .orElse(MessageFraming.SINGLE_OBJECT);
        PrometheusRegistry registry = new PrometheusRegistry();
        SinkReport report =
                new SinkReport(folder, log, terminal, new SinkMetrics(registry), once || window.isPresent());
        try (MetricsServer metrics = metricsOption.serve(registry)) {
            Sink.check(request(limits, window, properties));
            // Waits for a broker of this machine: all else is known to be right.
            SinkRequest request = request(
                            limits, window, KafkaOptions.withSecretOfOwnBroker(properties, waitLimit(window), log))
                    .framed(framing);
            MetricsOption.logAddress(metrics, log);
            run(request, report);
        }
        return ExitCode.DONE.value();
    }

    private static void run(SinkRequest request, SinkReport report) throws SinkException {
        AtomicBoolean stopped = new AtomicBoolean();
        try (Signals signals = new Signals()) {
            signals.onFirst(() -> stopped.set(true));
            try (Sink sink = Sink.open(request, report)) {
                SinkOutcome outcome = sink.run(stopped::get);
                report.reportUnreadable();
                report.ended(outcome);
            } catch (SinkException e) {
                report.reportUnreadable();
                throw e;
            }
        }
    }

    private SinkRequest request(Rolling limits, Optional<IncidentWindow> window, Map<String, String> properties) {
        return ofDefaultTopics(limits, window, properties).of(kafka.topics());
    }

    private SinkRequest ofDefaultTopics(
            Rolling limits, Optional<IncidentWindow> window, Map<String, String> properties) {
        Optional<Duration> limit = waitLimit(window);
        if (window.isPresent()) {
            return SinkRequest.cut(format, folder, properties, limits, window.get())
                    .withWaitLimit(limit.orElseThrow());
        }
        if (once) {
            return SinkRequest.catchUp(format, folder, properties, limits)
                    .ofGroup(group == null ? "" : group)
                    .withWaitLimit(limit.orElseThrow());
        }
        String name = group == null ? "probestream-" + FormatConverter.word(format) : group;
        return SinkRequest.follow(format, folder, properties, name, limits);
    }

    /** How long what is missing is waited for; empty for a sink that does not end by itself. */
    private Optional<Duration> waitLimit(Optional<IncidentWindow> window) {
        return once || window.isPresent()
                ? Optional.of(timeout == null ? SinkRequest.DEFAULT_WAIT_LIMIT : timeout)
                : Optional.empty();
    }

    /** The selected part of the history; empty to follow the topic. */
    private Optional<IncidentWindow> window() {
        boolean isCut = !captures.isEmpty() || from != null || to != null;
        if (group != null && isCut) {
            throw wrongUsage("--group cannot be combined with --capture, --from or --to: these run a single instance");
        }
        if (timeout != null && !once && !isCut) {
            throw wrongUsage("--timeout needs --once, --capture, --from or --to: without them a sink does not end by"
                    + " itself");
        }
        if (timeout != null && timeout.isZero()) {
            throw wrongUsage("--timeout must be greater than 0");
        }
        if (once && isCut) {
            throw wrongUsage("--once cannot be combined with --capture, --from or --to: they already end the sink");
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

    /** Parses the output format: {@code perfetto}, {@code chrome} or {@code parquet}. */
    static final class FormatConverter implements ITypeConverter<SinkFormat> {
        @Override
        public SinkFormat convert(String text) {
            return Arrays.stream(SinkFormat.values())
                    .filter(format -> word(format).equals(text))
                    .findFirst()
                    .orElseThrow(() -> new TypeConversionException("invalid format '" + text + "': expected one of "
                            + Arrays.stream(SinkFormat.values())
                                    .map(FormatConverter::word)
                                    .collect(Collectors.joining(", "))));
        }

        /** The name on the command line. */
        static String word(SinkFormat format) {
            return format.name().toLowerCase(Locale.ROOT);
        }
    }
}
