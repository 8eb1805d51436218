package dev.probestream.bpf.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.machine.ClockReading;
import org.junit.jupiter.api.Test;

@KernelTest(since = "4.7")
class MappingWatchTest {
    @Test
    void whatAProcessMapsIsReportedOnceWithItsTime() throws Exception {
        try (MappingWatch watch = MappingWatch.open()) {
            long startNs = ClockReading.monotonicNowNs();
            Process process = new ProcessBuilder("true").start();
            int pid = (int) process.pid();
            process.waitFor();

            assertThat(watch.hasNew(mapper -> mapper == pid)).isTrue();
            assertThat(watch.firstNs()).isBetween(startNs, ClockReading.monotonicNowNs());
            assertThat(watch.hasNew(mapper -> mapper == pid)).isFalse();
        }
    }

    @Test
    void mappingsOfOthersAndCodeWithoutAFileAreNotReported() throws Exception {
        try (MappingWatch watch = MappingWatch.open()) {
            new ProcessBuilder("true").start().waitFor();
            assertThat(watch.hasNew(mapper -> false)).isFalse();
        }
    }

    @Test
    void aFullRingIsReportedToo() throws Exception {
        try (MappingWatch watch = MappingWatch.open()) {
            Process many = new ProcessBuilder("sh", "-c", "for i in $(seq 1000); do (:); done; exec true").start();
            many.waitFor();
            // The next record after the ring has room again has the number of lost ones.
            watch.hasNew(mapper -> false);
            boolean[] isReported = {false};
            for (int i = 0; i < 100 && !isReported[0]; i++) {
                new ProcessBuilder("true").start().waitFor();
                isReported[0] = watch.hasNew(mapper -> false);
            }
            assertThat(isReported[0]).isTrue();
        }
    }
}
