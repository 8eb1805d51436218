package dev.probestream.collector.publish;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SecretWordsTest {
    private static final String SCRAM = "org.apache.kafka.common.security.scram.ScramLoginModule required"
            + " username=\"collector\" password=\"%s\";";

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "kafka | cannot connect to kafka-1.example.com:9092 | cannot connect to kafka-1.example.com:9092",
                "kafka | org.apache.kafka.common.KafkaException | org.apache.kafka.common.KafkaException",
                "kafka | wrong password 'kafka' | wrong password '[hidden]'",
                "kafka | user:kafka@host | user:[hidden]@host",
                "kafka | the password is kafka. | the password is [hidden].",
                "a | cannot authenticate: password=a | cannot authenticate: password=[hidden]",
                "pass | no password was passed | no password was passed",
                "p.s | a pXs and p.s | a pXs and [hidden]",
                "$1\\ | got $1\\ here | got [hidden] here",
                "a-very-long-secret | xa-very-long-secrety | x[hidden]y",
            })
    void secretIsHiddenButNotWithinOtherWords(String secret, String message, String wanted) {
        assertThat(new SecretWords(Map.of("ssl.key.password", secret)).hiddenIn(message))
                .isEqualTo(wanted);
        assertThat(new SecretWords(Map.of("sasl.jaas.config", SCRAM.formatted(secret))).hiddenIn(message))
                .isEqualTo(wanted);
    }

    @Test
    void wordsOfALoginModuleThatAreNoSecretsStay() {
        String message = "ScramLoginModule required username collector password: login failed for collector, x.y";
        assertThat(new SecretWords(Map.of("sasl.jaas.config", SCRAM.formatted("s3"))).hiddenIn(message))
                .isEqualTo(message);
    }

    @Test
    void optionsThatAreUnknownAndValuesThatCannotBeReadAreSecrets() {
        assertThat(new SecretWords(Map.of("sasl.jaas.config", "x.Y required apiToken=tok pin=\"1 2\" debug=true;"))
                        .hiddenIn("tok, 1 2, true"))
                .isEqualTo("[hidden], [hidden], true");
        assertThat(new SecretWords(Map.of("sasl.jaas.config", "x.Y needed password=\"s3cretword\";"))
                        .hiddenIn("got s3cretword"))
                .isEqualTo("got [hidden]");
        assertThat(new SecretWords(Map.of(
                                "ssl.keystore.key",
                                "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhk\n-----END PRIVATE KEY-----"))
                        .hiddenIn("no PRIVATE KEY in MIIEvQIBADANBgkqhk"))
                .isEqualTo("no PRIVATE KEY in [hidden]");
    }

    @Test
    void propertiesThatAreNoSecretsStay() {
        assertThat(new SecretWords(Map.of("client.id", "collector-1")).hiddenIn("collector-1"))
                .isEqualTo("collector-1");
    }
}
