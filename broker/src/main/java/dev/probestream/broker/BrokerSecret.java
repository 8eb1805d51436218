package dev.probestream.broker;

import dev.probestream.schema.file.PrivateFiles;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The password of the only user of a broker, in two files of its data folder: {@value #FILE}, which {@code
 * --kafka-config}, Kafka's tools and Java clients take as it is, and {@value #LIBRDKAFKA_FILE} for clients on librdkafka,
 * such as kcat. Never printed.
 *
 * <p>Java clients prove with SCRAM (RFC 5802) that they know the password. It is not sent, so a program that listens on
 * the port in place of the broker does not get it. Clients on librdkafka use PLAIN, which sends it: before 2.6.1,
 * librdkafka sends the nonce of SCRAM twice, and Kafka refuses that.
 */
final class BrokerSecret {
    static final String FILE = "client.properties";
    static final String LIBRDKAFKA_FILE = "librdkafka.properties";
    static final String MECHANISM = "SCRAM-SHA-256";
    static final String PLAIN_MECHANISM = "PLAIN";
    static final String USER = "probestream-owner";
    /** The option of a login module (org.apache.kafka.common.security.scram.ScramLoginModule). */
    static final String PASSWORD_OPTION = "password";

    private static final String BOOTSTRAP_SERVERS = "bootstrap.servers";
    private static final String PROTOCOL = "security.protocol";
    private static final String SASL_PLAINTEXT = "SASL_PLAINTEXT";
    private static final String SASL_MECHANISM = "sasl.mechanism";
    private static final String JAAS = "sasl.jaas.config";
    private static final Pattern PASSWORD = Pattern.compile(" password=\"([\\w-]{43})\";");
    private static final int BYTES = 32;

    private final String password;

    private BrokerSecret(String password) {
        this.password = password;
    }

    /** The secret of an earlier start on this folder; a new one if there is none. */
    static BrokerSecret of(Path dataFolder) throws IOException {
        Properties stored = new Properties();
        try (Reader reader = Files.newBufferedReader(dataFolder.resolve(FILE))) {
            stored.load(reader);
        } catch (NoSuchFileException e) {
            return generate();
        }
        return of(stored).orElseGet(BrokerSecret::generate);
    }

    /** The secret in a client's properties; empty if they are not of an embedded broker. */
    static Optional<BrokerSecret> of(Properties client) {
        Matcher jaas = PASSWORD.matcher(client.getProperty(JAAS, ""));
        return jaas.find() ? Optional.of(new BrokerSecret(jaas.group(1))) : Optional.empty();
    }

    /** A new secret: 256 random bits. */
    static BrokerSecret generate() {
        byte[] random = new byte[BYTES];
        new SecureRandom().nextBytes(random);
        return new BrokerSecret(Base64.getUrlEncoder().withoutPadding().encodeToString(random));
    }

    /** The properties of a client of the broker at that address. */
    Map<String, String> clientProperties(String bootstrapServers) {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put(BOOTSTRAP_SERVERS, bootstrapServers);
        properties.put(PROTOCOL, SASL_PLAINTEXT);
        properties.put(SASL_MECHANISM, MECHANISM);
        properties.put(JAAS, jaas());
        return properties;
    }

    /** The login module of a client, and of the broker, which is a client of its controller. */
    String jaas() {
        return "org.apache.kafka.common.security.scram.ScramLoginModule required username=\"" + USER + "\" "
                + PASSWORD_OPTION + "=\"" + password + "\";";
    }

    /** The login module with which the broker checks PLAIN (org.apache.kafka.common.security.plain.PlainLoginModule). */
    String plainServerJaas() {
        return "org.apache.kafka.common.security.plain.PlainLoginModule required user_" + USER + "=\"" + password
                + "\";";
    }

    /** The properties of a client on librdkafka, whose names are in its CONFIGURATION.md. */
    private Map<String, String> librdkafkaProperties(String bootstrapServers) {
        Map<String, String> properties = new LinkedHashMap<>();
        properties.put(BOOTSTRAP_SERVERS, bootstrapServers);
        properties.put(PROTOCOL, SASL_PLAINTEXT);
        properties.put(SASL_MECHANISM, PLAIN_MECHANISM);
        properties.put("sasl.username", USER);
        properties.put("sasl.password", password);
        return properties;
    }

    /** Writes the files with the address of this start. */
    void write(Path dataFolder, String bootstrapServers) throws IOException {
        write(dataFolder.resolve(FILE), comment("Kafka clients"), clientProperties(bootstrapServers));
        write(
                dataFolder.resolve(LIBRDKAFKA_FILE),
                comment("clients on librdkafka, such as kcat,"),
                librdkafkaProperties(bootstrapServers));
    }

    private static String comment(String clients) {
        return "Properties for " + clients + " of this broker. The password gives access to all its topics.";
    }

    /** Writes client properties to a file that only its owner can read. */
    static void write(Path file, String comment, Map<String, String> properties) throws IOException {
        Path part = file.resolveSibling(file.getFileName() + ".part");
        try (BufferedWriter out = PrivateFiles.replaceAsText(part)) {
            out.write("# " + comment + "\n");
            for (Map.Entry<String, String> property : properties.entrySet()) {
                out.write(property.getKey() + "=" + property.getValue() + "\n");
            }
        }
        Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
    }
}
