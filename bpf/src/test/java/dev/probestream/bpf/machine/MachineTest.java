package dev.probestream.bpf.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.internal.PageSize;
import dev.probestream.bpf.internal.Syscalls;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** What we ask the machine about itself. */
class MachineTest {
    @Test
    void cpuListsOfRangesAndSinglesAreRead() {
        assertThat(PossibleCpus.parse("0-3,8,10-11\n").ids()).containsExactly(0, 1, 2, 3, 8, 10, 11);
        assertThat(PossibleCpus.parse("0").count()).isEqualTo(1);
    }

    @Test
    void cpuListThatIsNoneIsQuoted() {
        assertThatThrownBy(() -> PossibleCpus.parse("0,x-3"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("'x-3' is not a CPU or range of CPUs in '0,x-3'");
    }

    @Test
    void thisMachineHasAtLeastTheCpusJavaSees() {
        assertThat(PossibleCpus.ofThisMachine().count())
                .isGreaterThanOrEqualTo(Runtime.getRuntime().availableProcessors());
    }

    @Test
    void pageSizeIsAPowerOfTwo() {
        assertThat(Integer.bitCount(PageSize.bytes())).isEqualTo(1);
        assertThat(PageSize.bytes()).isGreaterThanOrEqualTo(4096);
    }

    @Test
    void clocksAgreeWithJavas() {
        long javaBeforeMs = System.currentTimeMillis();
        ClockReading reading = ClockReading.now();
        long javaAfterMs = System.currentTimeMillis();

        assertThat(TimeUnit.NANOSECONDS.toMillis(reading.realtimeNs())).isBetween(javaBeforeMs, javaAfterMs);
        assertThat(reading.bootTimeNs()).isGreaterThanOrEqualTo(reading.monotonicNs() - reading.uncertaintyNs());
        assertThat(ClockReading.monotonicNowNs()).isGreaterThanOrEqualTo(reading.monotonicNs());
        assertThat(reading.uncertaintyNs()).isBetween(0L, TimeUnit.SECONDS.toNanos(1));
    }

    @Test
    void systemNameIsWhatProcSays() throws Exception {
        SystemName name = SystemName.read();

        assertThat(name.sysname()).isEqualTo("Linux");
        assertThat(name.release())
                .isEqualTo(
                        Files.readString(Path.of("/proc/sys/kernel/osrelease")).strip());
        assertThat(name.node())
                .isEqualTo(
                        Files.readString(Path.of("/proc/sys/kernel/hostname")).strip());
        assertThat(name.version())
                .isEqualTo(Files.readString(Path.of("/proc/sys/kernel/version")).strip());
        assertThat(name.machine()).isNotEmpty();
    }

    @Test
    void capabilitiesAreTheBitsOfTheMask() {
        assertThat(Capability.ofMask(1L << 39 | 1L << 21 | 1))
                .containsExactly(Capability.CAP_SYS_ADMIN, Capability.CAP_BPF);
        assertThat(Capability.ofMask(0)).isEmpty();
    }

    @Test
    void effectiveUserIsTheOwnerOfOurProcFolder() throws Exception {
        assertThat(Files.getAttribute(Path.of("/proc/self/status"), "unix:uid")).isEqualTo(Syscalls.effectiveUserId());
        assertThat(Capability.inEffect()).isNotNull();
    }
}
