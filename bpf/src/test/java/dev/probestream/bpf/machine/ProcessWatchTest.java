package dev.probestream.bpf.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.internal.Syscalls;
import dev.probestream.bpf.sys.SyscallException;
import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.IntFunction;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ProcessWatchTest {
    private static final int SIGKILL = 9;

    static List<IntFunction<ProcessWatch>> means() {
        return List.of(ProcessWatch::open, ProcessWatch::openByProc);
    }

    @ParameterizedTest
    @MethodSource("means")
    void exitOfAProcessIsNoticed(IntFunction<ProcessWatch> means) throws Exception {
        Process process = new ProcessBuilder("cat").start();
        try (ProcessWatch watch = means.apply((int) process.pid())) {
            assertThat(watch.hasExited()).isFalse();
            process.getOutputStream().close();
            process.waitFor();
            assertThat(watch.hasExited()).isTrue();
            assertThat(watch.pid()).isEqualTo((int) process.pid());
        }
    }

    @ParameterizedTest
    @MethodSource("means")
    void zombieCountsAsExited(IntFunction<ProcessWatch> means) throws Exception {
        // exec turns the shell into a cat, which never reaps the shell's child.
        Process parent = new ProcessBuilder("sh", "-c", "sleep 600 & echo $!; exec cat").start();
        try (BufferedWriter toCat = parent.outputWriter()) {
            BufferedReader fromParent = parent.inputReader();
            int child = Integer.parseInt(fromParent.readLine());
            // An echo shows that the shell, which might reap, is gone.
            toCat.write("cat\n");
            toCat.flush();
            assertThat(fromParent.readLine()).isEqualTo("cat");
            try (ProcessWatch watch = means.apply(child)) {
                assertThat(watch.hasExited()).isFalse();
                Syscalls.check(Syscalls.kill(child, SIGKILL), "kill the child");
                await(watch::hasExited);
                assertThat(Path.of("/proc/" + child)).exists();
            }
        } finally {
            parent.destroyForcibly().waitFor();
        }
    }

    @ParameterizedTest
    @MethodSource("means")
    void missingProcessIsNamed(IntFunction<ProcessWatch> means) {
        assertThatThrownBy(() -> means.apply(Integer.MAX_VALUE))
                .isInstanceOf(SyscallException.class)
                .hasMessage("watch process 2147483647: ESRCH (No such process)");
    }

    /** The kernel delivers a signal in its own time: asks again and again, for at most a minute. */
    private static void await(BooleanSupplier condition) {
        long startNs = System.nanoTime();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime() - startNs).isLessThan(TimeUnit.MINUTES.toNanos(1));
            Thread.onSpinWait();
        }
    }
}
