package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.collector.Recorded.Kept;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Signals that are sent to a process, and how the process then ended. */
@KernelTest(since = "5.8")
class SignalsTest {
    private static final int SIGTERM = 15;
    private static final int SIGKILL = 9;

    @TempDir
    private Path folder;

    @Test
    void signalOfAnotherProcessHasItsSender() throws Exception {
        Process process = new ProcessBuilder("sleep", "600").start();
        try {
            int pid = (int) process.pid();
            long[] sender = new long[1];
            Recorded recorded = SmallRecording.ofProcess(
                            folder,
                            pid,
                            () -> {
                                Process shell = new ProcessBuilder(
                                                "sh", "-c", "kill -CHLD " + pid + "; kill -TERM " + pid)
                                        .start();
                                sender[0] = shell.pid();
                                assertThat(shell.waitFor()).isZero();
                                assertThat(process.waitFor(60, TimeUnit.SECONDS))
                                        .isTrue();
                            },
                            "signals [ustack]")
                    .recorded();

            Kept signal = recorded.of("signal").get(0);
            assertThat(recorded.of("signal")).hasSize(1);
            assertThat(signal.pid()).isEqualTo(pid);
            assertThat(signal.tid()).isEqualTo(pid);
            assertThat(signal.numbers()).containsExactly((long) SIGTERM, 0L, sender[0], sender[0], 0L);
            assertThat(signal.strings()).containsExactly("sh");
            assertThat(signal.stackId()).as("the stack of another process").isZero();
            assertThat(recorded.processes).containsOnlyKeys(pid);
            assertThat(Objects.requireNonNull(recorded.processes.get(pid)).getWaitStatus())
                    .isEqualTo(SIGTERM);
        } finally {
            process.destroyForcibly();
        }
    }

    /** The last events of a process that is killed are read after its end. */
    @Test
    void processThatKillsItselfHasItsStackAndItsEnd() throws Exception {
        Recorded recorded = SmallRecording.ofCommand(
                        folder, true, List.of("sh", "-c", "(exec sh -c 'kill -9 $$'); true"), "signals [ustack]")
                .recorded();

        assertThat(recorded.of("signal")).singleElement().satisfies(signal -> {
            assertThat(signal.numbers().get(0)).isEqualTo(SIGKILL);
            assertThat(signal.numbers().get(2)).isEqualTo(signal.pid());
            assertThat(signal.stackId()).isNotZero();
        });
        assertThat(recorded.processes.values())
                .extracting(dev.probestream.schema.record.Process::getWaitStatus)
                .containsExactlyInAnyOrder(SIGKILL, 0);
        assertThat(recorded.lost()).isZero();
    }
}
