package dev.probestream.bpf.ring;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import java.nio.file.Path;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@KernelTest(since = "5.8")
class RingListenerTest {
    private static final int BOUND_S = 60;

    @TempDir
    static Path folder;

    private static CProgram calls;

    @BeforeAll
    static void compile() throws Exception {
        calls = CProgram.compile(folder, "bpf/calls");
    }

    @Test
    void eachWakeIsFollowedByTheActionUntilItIsClosed() throws Exception {
        Semaphore done = new Semaphore(0);
        try (CProgram.Running process = calls.start();
                TickProgram program = new TickProgram(calls, process, 1 << 16, false, true)) {
            RingListener listener = RingListener.start(program.events(), "listener", done::release);
            try {
                for (int i = 0; i < 3; i++) {
                    process.ask("repeat 1");
                    assertThat(done.tryAcquire(BOUND_S, TimeUnit.SECONDS)).isTrue();
                }
            } finally {
                listener.close();
            }
            done.drainPermits();
            process.ask("repeat 1");
            assertThat(done.availablePermits()).isZero();
        }
    }
}
