package dev.probestream.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.cli.node.NodeBinary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class SampleServerTest {
    @TempDir
    private Path folder;

    @Test
    void everyRequestOfTheLoadIsAnsweredAndCounted() throws Exception {
        try (SampleServer server = SampleServer.start(installedNode())) {
            SampleLoad.Outcome load = new SampleLoad(server.address()).run(Duration.ofMillis(600));

            assertThat(load.answered()).isGreaterThan(10);
            assertThat(load.failed()).isZero();
            SampleServer.Counts counts = server.counts();
            assertThat(counts.requests()).isEqualTo(load.answered());
            assertThat(counts.opens()).isGreaterThan(counts.failedOpens());
        }
    }

    @Test
    void closingEndsTheProcess() throws IOException {
        int pid;
        try (SampleServer server = SampleServer.start(installedNode())) {
            pid = server.pid();
        }

        assertThat(ProcessHandle.of(pid)).isEmpty();
    }

    @Test
    void whatNodeSaysIsSaidWhenItDoesNotComeUp() throws IOException {
        Path broken = folder.resolve("node");
        Files.writeString(broken, "#!/bin/sh\necho 'cannot find module' >&2\nexit 1\n");
        Files.setPosixFilePermissions(broken, PosixFilePermissions.fromString("rwxr-xr-x"));

        assertThatThrownBy(() -> SampleServer.start(new NodeBinary(broken)))
                .hasMessage("start the sample server with " + broken
                        + ": it did not start; its output: \n    cannot find module");
    }

    private static NodeBinary installedNode() {
        Optional<NodeBinary> node = NodeBinary.inPath(System.getenv("PATH"));
        Assumptions.assumeTrue(node.isPresent(), "there is no node in PATH");
        return node.orElseThrow();
    }
}
