package dev.probestream.cli.options;

import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ServiceLog;
import dev.probestream.schema.message.Topics;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;
import picocli.CommandLine.TypeConversionException;

/** Address and client properties of the Kafka cluster, for every command that connects to one. */
public final class KafkaOptions {
    /** A property of Kafka's clients (org.apache.kafka.clients.CommonClientConfigs). */
    public static final String BOOTSTRAP_SERVERS = "bootstrap.servers";

    private static final Pattern SERVER = Pattern.compile("(?:\\[[0-9A-Fa-f:.%]+]|[^\\s:,\\[\\]]+):(\\d{1,5})");
    private static final int MAX_PORT = 65_535;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    @Option(
            names = "--kafka",
            paramLabel = "HOST:PORT[,...]",
            order = 11,
            description = "One or more brokers of the cluster; the client discovers the others.")
    private @Nullable String servers;

    @Option(
            names = "--kafka-config",
            paramLabel = "FILE",
            order = 12,
            description =
                    "Properties for the Kafka clients, one NAME=VALUE per line: security.protocol, sasl.jaas.config,"
                            + " ssl.truststore.location and any other. They override Probestream's settings; values are never"
                            + " printed.")
    private @Nullable Path config;

    @Option(
            names = "--topic-prefix",
            paramLabel = "NAME",
            order = 15,
            converter = PrefixConverter.class,
            description = "The topics are NAME.events and NAME.metadata. Default: probestream.")
    private Topics topics = Topics.DEFAULT;

    /** The topics' names. */
    public Topics topics() {
        return topics;
    }

    /**
     * The properties for the clients, {@code bootstrap.servers} among them, without {@link #withSecretOfOwnBroker}.
     *
     * @throws CommandException if the file cannot be used
     * @throws ParameterException if the address is missing or invalid
     */
    public Map<String, String> properties(ServiceLog log) throws CommandException {
        Map<String, String> properties = ofFile(log);
        if (servers != null) {
            properties.put(BOOTSTRAP_SERVERS, checked(servers));
        }
        if (!properties.containsKey(BOOTSTRAP_SERVERS)) {
            boolean canStartOne = spec.findOption("--embedded") != null;
            throw wrongUsage(
                    "the address of Kafka is missing: use --kafka HOST:PORT" + (canStartOne ? " or --embedded" : ""));
        }
        return properties;
    }

    /**
     * The same, with the password of a broker that the same user runs on this machine. Waits until it listens: to be called
     * when all else is known to be right.
     */
    public static Map<String, String> withSecretOfOwnBroker(Map<String, String> properties, ServiceLog log) {
        return withSecretOfOwnBroker(properties, Optional.empty(), log);
    }

    /** The same; waits no longer than the limit. */
    public static Map<String, String> withSecretOfOwnBroker(
            Map<String, String> properties, Optional<Duration> limit, ServiceLog log) {
        Map<String, String> complete = new HashMap<>(properties);
        OwnBroker.addSecret(complete, limit, log);
        return complete;
    }

    /**
     * The properties for clients of an embedded broker, whose address is not known yet.
     *
     * @throws CommandException if the file cannot be used
     * @throws ParameterException if an address was given as well
     */
    public Map<String, String> propertiesForEmbedded(ServiceLog log) throws CommandException {
        if (servers != null) {
            throw wrongUsage(
                    "--kafka and --embedded exclude each other: --kafka names a running broker, --embedded starts one");
        }
        return ofFile(log);
    }

    private Map<String, String> ofFile(ServiceLog log) throws CommandException {
        if (config == null) {
            return new HashMap<>();
        }
        PropertiesFile read = PropertiesFile.read(config, "Kafka properties");
        read.warning().ifPresent(log::log);
        return new HashMap<>(read.values());
    }

    private String checked(String list) {
        for (String server : list.split(",", -1)) {
            Matcher matcher = SERVER.matcher(server.strip());
            if (!matcher.matches() || !isPort(Integer.parseInt(matcher.group(1)))) {
                throw wrongUsage(
                        "--kafka: invalid address '" + server + "': expected HOST:PORT, such as localhost:9092");
            }
        }
        return list;
    }

    private static boolean isPort(int number) {
        return number > 0 && number <= MAX_PORT;
    }

    static final class PrefixConverter implements ITypeConverter<Topics> {
        /** What Kafka allows (org.apache.kafka.common.internals.Topic), with room for what follows. */
        private static final Pattern NAME = Pattern.compile("[A-Za-z0-9._-]{1,200}");

        @Override
        public Topics convert(String text) {
            if (!NAME.matcher(text).matches()) {
                throw new TypeConversionException("invalid prefix of topics '" + text
                        + "': expected up to 200 letters, digits, '.', '_' or '-', such as team-a.probestream");
            }
            return Topics.ofPrefix(text);
        }
    }

    private ParameterException wrongUsage(String message) {
        return new ParameterException(spec.commandLine(), message);
    }
}
