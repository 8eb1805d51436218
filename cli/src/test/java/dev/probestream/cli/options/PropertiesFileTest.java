package dev.probestream.cli.options;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.cli.terminal.CommandException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PropertiesFileTest {
    @TempDir
    private Path folder;

    @Test
    void propertiesAreReadAsJavaReadsThem() throws Exception {
        Path file = write("# comment\nacks = 1\nssl.truststore.location=/etc/a\\\n  b.jks\n");

        assertThat(PropertiesFile.read(file, "Kafka properties").values())
                .isEqualTo(Map.of("acks", "1", "ssl.truststore.location", "/etc/ab.jks"));
    }

    @Test
    void aSecretThatOthersCanReadIsWarnedOf() throws Exception {
        for (String line : List.of("sasl.jaas.config=geheim\n", "basic.auth.user.info=u:geheim\n")) {
            assertWarned(write(line));
        }
    }

    private static void assertWarned(Path file) throws Exception {
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
        assertThat(PropertiesFile.read(file, "Kafka properties").warning())
                .hasValue(file + " holds a secret and is readable by every user; run: chmod o-r " + file);

        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        assertThat(PropertiesFile.read(file, "Kafka properties").warning()).isEmpty();
    }

    @Test
    void aFileThatIsMissingIsSaid() {
        Path missing = folder.resolve("missing");

        assertThatThrownBy(() -> PropertiesFile.read(missing, "Kafka properties"))
                .isInstanceOf(CommandException.class)
                .hasMessage("cannot read the Kafka properties in " + missing + ": the file does not exist");
    }

    @Test
    void aFolderIsNoFile() {
        assertThatThrownBy(() -> PropertiesFile.read(folder, "Kafka properties"))
                .hasMessageContaining("directory");
    }

    @Test
    void aFileOfAnotherKindIsRefusedWithoutShowingIt() throws Exception {
        Path file = write("{\"sasl.password\": \"geheim\"}");

        assertThatThrownBy(() -> PropertiesFile.read(file, "Kafka properties"))
                .hasMessage("cannot read the Kafka properties in " + file
                        + ": not a Java properties file; expected one NAME=VALUE per line");
    }

    @Test
    void bytesThatAreNoTextAreRefused() throws Exception {
        Path file = Files.write(folder.resolve("binary"), new byte[] {(byte) 0xFE, (byte) 0xED, 0, 1});

        assertThatThrownBy(() -> PropertiesFile.read(file, "Kafka properties")).hasMessageContaining("not UTF-8 text");
    }

    @Test
    void aBrokenEscapeIsRefused() throws Exception {
        Path file = write("a=\\u12\n");

        assertThatThrownBy(() -> PropertiesFile.read(file, "Kafka properties")).hasMessageContaining("Malformed");
    }

    private Path write(String text) throws Exception {
        return Files.write(folder.resolve("client.properties"), text.getBytes(StandardCharsets.UTF_8));
    }
}
