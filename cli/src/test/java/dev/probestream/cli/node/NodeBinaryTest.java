package dev.probestream.cli.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class NodeBinaryTest {
    @TempDir
    private Path folder;

    @Test
    void theFirstExecutableOfTheSearchPathIsFound() throws IOException {
        Path plain = Files.createDirectory(folder.resolve("plain"));
        Files.writeString(plain.resolve("node"), "not executable");
        Path first = script("first", "echo v22.1.0");
        script("second", "echo v18.0.0");

        Optional<NodeBinary> node = NodeBinary.inPath(plain + ":" + first.getParent() + ":" + folder.resolve("second"));

        assertThat(node).contains(new NodeBinary(first));
        assertThat(node.orElseThrow().version()).contains("v22.1.0");
    }

    @Test
    void anEmptySearchPathHoldsNone() {
        assertThat(NodeBinary.inPath(folder.toString())).isEmpty();
    }

    @Test
    void aProgramThatSaysSomethingElseHasNoVersion() throws IOException {
        assertThat(new NodeBinary(script("other", "echo hello")).version()).isEmpty();
    }

    private Path script(String name, String line) throws IOException {
        Path file = Files.createDirectory(folder.resolve(name)).resolve("node");
        Files.writeString(file, "#!/bin/sh\n" + line + "\n");
        return Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    }
}
