package dev.probestream.bpf.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.bpf.proc.MappedRange;
import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.bpf.proc.ProcessMaps;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

@KernelTest(since = "4.7")
class MappingLogTest {
    /** What one process mapped, program by program. */
    private static final class Kept implements MappingLog.Listener {
        final int pid;
        final List<List<MappedRange>> programs = new ArrayList<>(List.of(new ArrayList<>()));
        int lostCount;

        Kept(long pid) {
            this.pid = (int) pid;
        }

        @Override
        public void executed(int of) {
            if (of == pid) {
                programs.add(new ArrayList<>());
            }
        }

        @Override
        public void mapped(int of, MappedRange range) {
            if (of == pid) {
                programs.get(programs.size() - 1).add(range);
            }
        }

        @Override
        public void lost() {
            lostCount++;
        }
    }

    @Test
    void mappingsAreThoseOfProc() throws Exception {
        try (MappingLog log = MappingLog.open()) {
            Process process =
                    new ProcessBuilder("cat").redirectErrorStream(true).start();
            process.getOutputStream().write('x');
            process.getOutputStream().flush();
            assertThat(process.getInputStream().read()).isEqualTo('x');
            List<MappedRange> code = ProcessMaps.read((int) process.pid()).ranges().stream()
                    .filter(MappedRange::isExecutable)
                    .filter(MappedRange::isFile)
                    .toList();
            process.destroy();
            process.waitFor();

            Kept kept = new Kept(process.pid());
            log.read(ClockReading.monotonicNowNs(), kept);
            assertThat(kept.lostCount).isZero();
            assertThat(kept.programs.get(kept.programs.size() - 1)).isNotEmpty().containsAll(code);
        }
    }

    @Test
    void programsOfAProcessAreApart() throws Exception {
        try (MappingLog log = MappingLog.open()) {
            Process process = new ProcessBuilder("sh", "-c", "exec env true").start();
            process.waitFor();

            Kept kept = new Kept(process.pid());
            log.read(ClockReading.monotonicNowNs(), kept);
            List<String> executables = kept.programs.stream()
                    .filter(program -> !program.isEmpty())
                    .map(program -> program.get(0).fileName())
                    .toList();
            // Before these three there is what starts processes for this JVM.
            assertThat(executables).hasSizeGreaterThanOrEqualTo(3);
            assertThat(executables.subList(executables.size() - 2, executables.size()))
                    .containsExactly("env", "true");
        }
    }

    @Test
    void recordsAfterTheGivenTimeAreLeftForTheNextCall() throws Exception {
        try (MappingLog log = MappingLog.open()) {
            long beforeNs = ClockReading.monotonicNowNs();
            Process process = new ProcessBuilder("true").start();
            process.waitFor();

            Kept kept = new Kept(process.pid());
            log.read(beforeNs, kept);
            assertThat(kept.programs).hasSize(1);
            log.read(ClockReading.monotonicNowNs(), kept);
            assertThat(kept.programs).hasSizeGreaterThan(1);
        }
    }

    @Test
    void lostRecordsAreCountedAndLaterOnesAreRead() throws Exception {
        try (MappingLog log = MappingLog.open()) {
            long startNs = ClockReading.monotonicNowNs();
            // On one cpu, 1000 programs map code some 4000 times; its 64 pages hold some 2500 records.
            String cpu = ProcFile.statusField(
                            ProcFile.read((int) ProcessHandle.current().pid(), "status"), "Cpus_allowed_list")
                    .orElseThrow()
                    .split("[-,]")[0];
            new ProcessBuilder("taskset", "-c", cpu, "sh", "-c", "for i in $(seq 1000); do /bin/true; done")
                    .start()
                    .waitFor();
            Kept lossy = new Kept(0);
            log.read(startNs, lossy);
            // The kernel counts what it lost when there is room again.
            for (int i = 0; i < 100 && lossy.lostCount == 0; i++) {
                log.read(ClockReading.monotonicNowNs(), lossy);
                new ProcessBuilder("taskset", "-c", cpu, "true").start().waitFor();
            }
            assertThat(lossy.lostCount).isPositive();

            Process process = new ProcessBuilder("true").start();
            process.waitFor();
            Kept after = new Kept(process.pid());
            log.read(ClockReading.monotonicNowNs(), after);
            assertThat(after.programs).hasSizeGreaterThan(1);
        }
    }
}
