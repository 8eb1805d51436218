package dev.probestream.cli.collect;

import dev.probestream.broker.BrokerAccess;
import dev.probestream.cli.doctor.Permission;
import dev.probestream.cli.options.BrokerOptions;
import dev.probestream.cli.options.JsonOption;
import dev.probestream.cli.options.KafkaOptions;
import dev.probestream.cli.options.MetricsOption;
import dev.probestream.cli.options.ProbeOptions;
import dev.probestream.cli.options.RegistryOptions;
import dev.probestream.cli.options.TargetOptions;
import dev.probestream.cli.options.TopicOptions;
import dev.probestream.cli.options.VerboseOption;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.ServiceLog;
import dev.probestream.cli.terminal.Summary;
import dev.probestream.cli.terminal.Terminal;
import dev.probestream.cli.terminal.Version;
import dev.probestream.collector.cost.Budget;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.TargetSelection;
import dev.probestream.schema.message.RegistryFraming.Subjects;
import dev.probestream.schema.registry.SchemaRegistry;
import java.io.IOException;
import java.io.PrintWriter;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code collect}: sends hits of probes to Kafka. */
@Command(
        name = "collect",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        header = CollectCommand.HEADER,
        customSynopsis = {
            "probestream collect (-p PID... | --comm NAME | --cgroup FOLDER | --all |",
            "                            -- CMD...)",
            "                           (--kafka HOST:PORT[,...] [--kafka-config FILE] |",
            "                            --embedded [--data DIR] [--no-auth])",
            "                           [--topic-prefix NAME]",
            "                           [--partitions N] [--replication-factor N]",
            "                           [--retention TIME] [--no-create-topics]",
            "                           [--compression NAME] [--schema-registry URL]",
            "                           [--schema-registry-config FILE]",
            "                           [--subject-names RULE]",
            "                           [--probes SETS_OR_SPEC]... [--for TIME] [--follow]",
            "                           [--ring-size SIZE] [--show-query] [--show-paths]",
            "                           [--show-args] [--budget PERCENT] [--metrics-port PORT]",
            "                           [--json] [-v]",
        },
        description = {
            "",
            "Attaches the same probes as 'record' (see 'help sets' and 'help specs') and publishes every hit as one Avro"
                    + " record, until --for has passed, a signal arrives, or the processes have ended. 'sink'"
                    + " writes traces and tables from the topic; it names them by the capture's id, which is printed at"
                    + " the start.",
            "",
            "Missing topics are created, unless --no-create-topics is given: probestream.events, and"
                    + " probestream.metadata, which is compacted. Existing topics are not changed. Every"
                    + " record is acknowledged by the brokers, or counted as lost. If a broker is unreachable, the"
                    + " collector waits (delivery.timeout.ms, 2 minutes); meanwhile the ring buffer fills, hits that do"
                    + " not fit are counted as lost, and memory use does not grow.",
            ""
        },
        footer = {
            "",
            "--json: one object at the end: captureId, reason, delivered, acknowledged, lost, seconds, cost"
                    + " {cpuPercent, targetPercent, sets}.",
            "",
            "Without a terminal, prints a line every minute, when the broker stops or resumes responding, and"
                    + " when losses start or end.",
            "",
            "PROBESTREAM_LOG=warn (or info, debug) in the environment enables the log of Kafka's client.",
            "",
            "Needs CAP_BPF and CAP_PERFMON, and CAP_SYS_PTRACE for processes of other users; root has them.",
            "",
            "Exit codes: 0 success, also if a signal or the end of the processes ended it; 1 failure; 2 wrong usage;"
                    + " 77 not permitted or not supported here.",
            "",
            "Examples:",
            "  sudo ./probestream collect -p 4711 --kafka localhost:9092",
            "  sudo ./probestream collect --comm node --probes 'node-*' --follow \\",
            "      --kafka kafka1:9093,kafka2:9093 --kafka-config client.properties --metrics-port 9400",
            "  sudo ./probestream collect --embedded --for 10s -- node app.js"
        })
public final class CollectCommand implements Callable<Integer> {
    /** Its line in the list of commands. */
    public static final String HEADER = "Sends the hits of probes to Kafka.";

    /** It runs for weeks. */
    private static final Budget COLLECT_BUDGET = Budget.ofShare(0.05);

    @Spec
    private CommandSpec spec;

    @Mixin
    private TargetOptions targets;

    @Mixin
    private ProbeOptions probes;

    @Mixin
    private KafkaOptions kafka;

    @Option(
            names = "--embedded",
            order = 13,
            description =
                    "Start an embedded broker for this collection (see 'broker'); its topics are stored in --data.")
    private boolean embedded;

    @Mixin
    private BrokerOptions broker;

    @Mixin
    private TopicOptions topics;

    @Mixin
    private RegistryOptions registry;

    @Mixin
    private JsonOption json;

    @Mixin
    private VerboseOption verbose;

    @Mixin
    private MetricsOption metrics;

    @Override
    public Integer call() throws CommandException, IOException, ResolveException {
        Terminal terminal = new Terminal(spec.commandLine().getErr(), Terminal.isStandardError());
        ServiceLog log = new ServiceLog(terminal, InstantSource.system());
        TargetSelection selection = targets.selection();
        CollectionRequest request = probes.request(selection, targets, "watch", COLLECT_BUDGET);
        if (!embedded && broker.access() == BrokerAccess.EVERYONE) {
            throw new ParameterException(
                    spec.commandLine(), "--no-auth is an option of the broker that --embedded starts");
        }
        Map<String, String> properties = embedded ? kafka.propertiesForEmbedded(log) : kafka.properties(log);
        topics.addTo(properties);
        Optional<SchemaRegistry> schemas = registry.registry(log);
        if (schemas.isEmpty() && topics.subjects().isPresent()) {
            throw new ParameterException(spec.commandLine(), "--subject-names needs --schema-registry URL");
        }
        Permission.toRecord();
        CollectDestination destination = new CollectDestination(
                properties,
                topics.topics(kafka.topics()),
                schemas,
                topics.subjects().orElse(Subjects.TOPIC_RECORD),
                embedded ? Optional.of(broker.data()) : Optional.empty(),
                broker.access());
        CollectSummary summary = new Collection(request, destination, metrics, terminal, log).run();
        summary.lines(verbose.isVerbose()).forEach(log::log);
        if (json.isJson()) {
            PrintWriter out = spec.commandLine().getOut();
            out.println(summary.json());
            out.flush();
        }
        Summary.requireFound(summary.outcome().misspelled());
        return ExitCode.DONE.value();
    }
}
