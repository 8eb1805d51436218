package dev.probestream.collector.publish;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ClientPropertiesTest {
    private static final String SECRET = "hunter2-of-the-broker";

    @Test
    void theUserWinsOverDefaults() {
        ClientProperties properties = properties(Map.of("linger.ms", "5", "compression.type", "zstd"));

        assertThat(properties.ofEventProducer())
                .containsEntry("linger.ms", "5")
                .containsEntry("compression.type", "zstd")
                .containsEntry("batch.size", 128 * 1024);
    }

    @Test
    void orderAndCompletenessWinOverTheUser() {
        ClientProperties properties = properties(Map.of(
                "acks", "1", "enable.idempotence", "false", "max.block.ms", "60000", "transactional.id", "mine"));

        for (Map<String, Object> producer : List.of(properties.ofEventProducer(), properties.ofMetadataProducer())) {
            assertThat(producer)
                    .containsEntry("acks", "all")
                    .containsEntry("enable.idempotence", true)
                    .containsEntry("max.block.ms", 250)
                    .doesNotContainKey("transactional.id");
        }
    }

    @Test
    void theAdminIsGivenWhatItKnows() {
        ClientProperties properties = properties(Map.of("linger.ms", "5", "security.protocol", "SSL"));

        assertThat(properties.ofAdmin())
                .containsEntry("security.protocol", "SSL")
                .doesNotContainKey("linger.ms");
    }

    @Test
    void metadataDoesNotLinger() {
        ClientProperties properties = properties(Map.of("linger.ms", "500", "client.id", "fleet-7"));

        assertThat(properties.ofMetadataProducer())
                .containsEntry("linger.ms", 0)
                .containsEntry("client.id", "fleet-7-metadata");
        assertThat(new ProducerConfig(properties.ofEventProducer()).getLong("linger.ms"))
                .isEqualTo(500);
    }

    @Test
    void secretsAndTheirPartsAreTakenOutOfMessages() {
        ClientProperties properties = properties(Map.of(
                "ssl.truststore.password",
                SECRET,
                "sasl.jaas.config",
                "x.PlainLoginModule required username=\"collector\" password=\"s3cret\";"));

        assertThat(properties.withoutSecrets("cannot open the store with '" + SECRET + "' at broker:9092, s3cret"))
                .isEqualTo("cannot open the store with '[hidden]' at broker:9092, [hidden]");
    }

    @ParameterizedTest
    @CsvSource({
        "linger.ms, soon, linger.ms",
        "security.protocol, SASL_PLAINTEXT, login",
        "compression.type, lzma, compression.type",
        "ssl.truststore.location, /nowhere/trust.jks, no such file: /nowhere/trust.jks",
    })
    void wrongPropertiesAreSaidWithoutSecrets(String name, String value, String said) {
        Map<String, String> properties = new HashMap<>(Map.of(
                "bootstrap.servers",
                "127.0.0.1:1",
                "ssl.truststore.password",
                SECRET,
                "ssl.key.password",
                SECRET,
                "security.protocol",
                "SSL",
                "sasl.jaas.config",
                "no.such.LoginModule needed password=\"" + SECRET + "\";"));
        properties.put(name, value);

        assertThatThrownBy(() -> KafkaPublisher.open(properties, KafkaTopics.DEFAULT, () -> true))
                .isInstanceOf(PublishException.class)
                .hasMessageContaining("127.0.0.1:1")
                .hasMessageContainingAll(said)
                .hasNoCause()
                .satisfies(e -> assertThat(e.toString()).doesNotContain(SECRET).doesNotContain("hunter2"));
    }

    @Test
    void theFirstRequestsHaveAsMuchTimeAsBrokersMayBeUnavailable() {
        assertThat(properties(Map.of()).ofAdmin())
                .containsEntry("default.api.timeout.ms", 30_000)
                .containsEntry("request.timeout.ms", 30_000);
        assertThat(properties(Map.of("delivery.timeout.ms", "5000")).ofAdmin())
                .containsEntry("default.api.timeout.ms", "5000")
                .containsEntry("request.timeout.ms", "5000");
        assertThat(properties(Map.of("delivery.timeout.ms", "5000", "request.timeout.ms", "3000"))
                        .ofAdmin())
                .containsEntry("default.api.timeout.ms", "5000")
                .containsEntry("request.timeout.ms", "3000");
    }

    private static ClientProperties properties(Map<String, String> more) {
        Map<String, String> properties = new HashMap<>(more);
        properties.put("bootstrap.servers", "broker:9092");
        return new ClientProperties(properties);
    }
}
