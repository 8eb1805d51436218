package dev.probestream.bpf.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.HeldKernelObjects;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.internal.Mounts;
import dev.probestream.bpf.sys.SyscallException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@KernelTest(since = "5.15")
class TracepointsTest {
    /** A separate mount, so that the test depends on no existing one and leaves none. */
    @TempDir
    static Path tracefs;

    @BeforeAll
    static void mount() {
        Mounts.mount("tracefs", tracefs);
    }

    @AfterAll
    static void unmount() {
        Mounts.unmount(tracefs);
    }

    @ParameterizedTest(name = "by link: {0}")
    @ValueSource(booleans = {true, false})
    void everyHitIsCountedUntilTheLinkIsClosed(boolean byLink) throws Exception {
        HeldKernelObjects before = HeldKernelObjects.held();
        try (KillCounter counter = KillCounter.forTracepoint()) {
            Link link = Tracepoints.attach(counter.program(), id("syscalls/sys_enter_kill"), byLink);
            KillCounter.kill(10);
            link.close();
            link.close();
            KillCounter.kill(10);

            assertThat(counter.hits()).isEqualTo(10);
        }
        assertThat(HeldKernelObjects.held()).isEqualTo(before);
    }

    @Test
    void kernelsBestWayIsFoundByAsking() throws Exception {
        try (KillCounter counter = KillCounter.forTracepoint();
                Link link = Tracepoints.attach(counter.program(), id("syscalls/sys_enter_kill"))) {
            KillCounter.kill(3);

            assertThat(link).isNotNull();
            assertThat(counter.hits()).isEqualTo(3);
        }
    }

    @Test
    void unknownTracepointIsNamedAndLeavesNothingBehind() throws Exception {
        HeldKernelObjects before = HeldKernelObjects.held();
        try (KillCounter counter = KillCounter.forTracepoint()) {
            assertThatThrownBy(() -> Tracepoints.attach(counter.program(), 999_999))
                    .isInstanceOf(SyscallException.class)
                    .hasMessageMatching("open tracepoint 999999: (EINVAL|ENOENT) \\(no tracepoint has this id: see the"
                            + " file id in its folder under /sys/kernel/tracing/events\\)");
        }
        assertThat(HeldKernelObjects.held()).isEqualTo(before);
    }

    @ParameterizedTest(name = "by link: {0}")
    @ValueSource(booleans = {true, false})
    void programOfAnotherTypeIsRefusedAndLeavesNothingBehind(boolean byLink) throws Exception {
        HeldKernelObjects before = HeldKernelObjects.held();
        int id = id("syscalls/sys_enter_kill");
        try (KillCounter counter = KillCounter.forRawSysEnter()) {
            assertThatThrownBy(() -> Tracepoints.attach(counter.program(), id, byLink))
                    .isInstanceOf(SyscallException.class)
                    .hasMessageContaining("program kill_counter")
                    .hasMessageContaining("EINVAL");
        }
        assertThat(HeldKernelObjects.held()).isEqualTo(before);
    }

    private static int id(String event) throws IOException {
        return Integer.parseInt(
                Files.readString(tracefs.resolve("events/" + event + "/id")).strip());
    }
}
