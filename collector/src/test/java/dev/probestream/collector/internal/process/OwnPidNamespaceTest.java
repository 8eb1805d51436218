package dev.probestream.collector.internal.process;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.ResolveException.Reason;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OwnPidNamespaceTest {
    @TempDir
    private Path self;

    @Test
    void theDeviceIsThatOfTheKernel() {
        // Minor 0x123 of major 0x45: dev_t has 20 bits for the minor one.
        assertThat(new OwnPidNamespace(new FileId(0x10_4523, 1)).kernelDevice()).isEqualTo(0x450_0123);
    }

    @Test
    void aProcFileSystemOfAnotherNamespaceIsRefused() throws Exception {
        Files.createDirectories(self.resolve("ns"));
        Files.writeString(self.resolve("ns/pid"), "");
        Files.writeString(self.resolve("status"), "Name:\tjava\nNSpid:\t4711\t5\n");

        assertThatThrownBy(() -> OwnPidNamespace.read(self, 5))
                .isInstanceOfSatisfying(
                        ResolveException.class, e -> assertThat(e.reason()).isEqualTo(Reason.NOT_PERMITTED))
                .hasMessageContaining("there this process is 4711, here it is 5")
                .hasMessageContaining("mount -t proc proc /proc");
    }

    @Test
    void theNamespaceIsTheFile() throws Exception {
        Files.createDirectories(self.resolve("ns"));
        Path file = Files.writeString(self.resolve("ns/pid"), "");
        Files.writeString(self.resolve("status"), "NSpid:\t5\n");

        assertThat(OwnPidNamespace.read(self, 5).id()).isEqualTo(FileId.of(file));
        assertThat(OwnPidNamespace.read(self, 5).isInitial()).isFalse();
    }
}
