package dev.probestream.bpf.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import java.nio.file.Path;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@KernelTest(since = "5.8")
class RingWakeupsTest {
    private static final int BOUND_S = 60;

    @TempDir
    static Path folder;

    private static CProgram calls;

    @BeforeAll
    static void compile() throws Exception {
        calls = CProgram.compile(folder, "bpf/calls");
    }

    @Test
    void sampleThatWakesEndsEachWait() throws Exception {
        try (CProgram.Running process = calls.start();
                TickProgram program = new TickProgram(calls, process, 1 << 16, false, true);
                RingWakeups wakeups = RingWakeups.of(program.events())) {
            for (int i = 0; i < 3; i++) {
                CompletableFuture<Boolean> woken = CompletableFuture.supplyAsync(wakeups::await);
                process.ask("repeat 1");
                assertThat(woken.get(BOUND_S, TimeUnit.SECONDS)).isTrue();
            }
        }
    }

    @Test
    void otherSamplesEndNoWait() throws Exception {
        try (CProgram.Running process = calls.start();
                TickProgram program = new TickProgram(calls, process, 1 << 16, false, false);
                RingWakeups wakeups = RingWakeups.of(program.events())) {
            CompletableFuture<Boolean> woken = CompletableFuture.supplyAsync(wakeups::await);
            process.ask("repeat 100");
            wakeups.stop();
            assertThat(woken.get(BOUND_S, TimeUnit.SECONDS)).isFalse();
        }
    }

    @Test
    void stoppedBeforeItWaits() throws Exception {
        try (CProgram.Running process = calls.start();
                TickProgram program = new TickProgram(calls, process, 1 << 16, false, true);
                RingWakeups wakeups = RingWakeups.of(program.events())) {
            wakeups.stop();
            assertThat(wakeups.await()).isFalse();
        }
    }
}
