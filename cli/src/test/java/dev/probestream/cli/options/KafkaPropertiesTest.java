package dev.probestream.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.cli.terminal.CommandException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KafkaPropertiesTest {
    @TempDir
    private Path folder;

    @Test
    void propertiesAreReadAsJavaReadsThem() throws Exception {
        Path file = write("# comment\nacks = 1\nssl.truststore.location=/etc/a\\\n  b.jks\n");

        assertThat(KafkaProperties.read(file).values())
                .isEqualTo(Map.of("acks", "1", "ssl.truststore.location", "/etc/ab.jks"));
    }

    @Test
    void aSecretThatOthersCanReadIsWarnedOf() throws Exception {
        Path file = write("sasl.jaas.config=geheim\n");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(KafkaProperties.read(file).warning())
                .hasValue(file + " holds a secret and is readable by every user; run: chmod o-r " + file);

        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThat(KafkaProperties.read(file).warning()).isEmpty();
    }

    @Test
    void aFileThatIsMissingIsSaid() {
        Path missing = folder.resolve("missing");

        assertThatThrownBy(() -> KafkaProperties.read(missing))
                .isInstanceOf(CommandException.class)
                .hasMessage("cannot read the Kafka properties in " + missing + ": the file does not exist");
    }

    @Test
    void aFolderIsNoFile() {
        assertThatThrownBy(() -> KafkaProperties.read(folder)).hasMessageContaining("directory");
    }

    @Test
    void aFileOfAnotherKindIsRefusedWithoutShowingIt() throws Exception {
        Path file = write("{\"sasl.password\": \"geheim\"}");

        assertThatThrownBy(() -> KafkaProperties.read(file))
                .hasMessage("cannot read the Kafka properties in " + file
                        + ": not a Java properties file; expected one NAME=VALUE per line");
    }

    @Test
    void bytesThatAreNoTextAreRefused() throws Exception {
        Path file = Files.write(folder.resolve("binary"), new byte[] {(byte) 0xFE, (byte) 0xED, 0, 1});

        assertThatThrownBy(() -> KafkaProperties.read(file)).hasMessageContaining("not UTF-8 text");
    }

    @Test
    void aBrokenEscapeIsRefused() throws Exception {
        Path file = write("a=\\u12\n");

        assertThatThrownBy(() -> KafkaProperties.read(file)).hasMessageContaining("Malformed");
    }

    private Path write(String text) throws Exception {
        return Files.write(folder.resolve("client.properties"), text.getBytes(StandardCharsets.UTF_8));
    }
}
