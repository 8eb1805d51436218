package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.machine.ProcessSignal;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.request.TargetSelection;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Everything on the machine is recorded but the recorder; only cheap probes are attached here, since all others run on. */
@KernelTest(since = "5.8")
class EveryProcessTest {
    @TempDir
    static Path folder;

    @Test
    void hitsOfEveryProcessAreRecordedButTheRecordersOwn() throws Exception {
        CProgram calls = CProgram.compile(folder, "bpf/calls");
        try (CProgram.Running first = calls.start();
                CProgram.Running second = calls.start()) {
            SmallRecording recording = SmallRecording.of(
                    folder,
                    SmallRecording.request(
                            TargetSelection.ofAll(),
                            "uprobe:" + calls.executable() + ":tick (n=arg1:s64)",
                            "tracepoint:syscalls:sys_enter_kill (target=pid:s32, sig=sig:s32) /target == 4194303/"),
                    () -> {
                        first.ask("repeat 1");
                        second.ask("repeat 2");
                        ProcessSignal.trySend(4194303, 0);
                        assertThat(new ProcessBuilder("sh", "-c", "kill -0 4194303 2>/dev/null; true")
                                        .start()
                                        .waitFor())
                                .isZero();
                    });

            assertThat(recording.recorded().of("tick"))
                    .extracting(Recorded.Kept::pid)
                    .containsExactly(first.pid(), second.pid(), second.pid());
            int ours = Math.toIntExact(ProcessHandle.current().pid());
            assertThat(recording.recorded().of("syscalls:sys_enter_kill"))
                    .singleElement()
                    .satisfies(kill -> assertThat(kill.pid()).isNotEqualTo(ours));
            assertThat(recording.recorded().processes)
                    .containsKeys(first.pid(), second.pid())
                    .doesNotContainKey(ours);
            // Any other process of the machine may end meanwhile.
            assertThat(recording.notices())
                    .filteredOn(notice -> !notice.contains("ended before the probes were attached"))
                    .isEmpty();
        }
    }

    @Test
    void functionsNeedThePathOfTheirFile() {
        assertThatThrownBy(() -> Collector.open(SmallRecording.request(TargetSelection.ofAll(), "uprobe:main")))
                .isInstanceOf(ResolveException.class)
                .hasMessage("resolve uprobe:main in every process (--all): name the file by its path, as in"
                        + " uprobe:/PATH:main");
        assertThatThrownBy(() -> Collector.open(SmallRecording.request(TargetSelection.ofAll(), "node-http")))
                .isInstanceOf(ResolveException.class)
                .hasMessageContaining("they are in the program of a process; select processes");
    }

    @Test
    void tracepointsThatFireElsewhereThanInTheProcessAreNamed() throws Exception {
        int ours = Math.toIntExact(ProcessHandle.current().pid());
        SmallRecording recording = SmallRecording.ofProcess(
                folder, ours, () -> {}, "tracepoint:irq:softirq_raise", "rawtracepoint:block_rq_complete", "sched");

        assertThat(recording.notices())
                .contains("irq:softirq_raise, block_rq_complete fire mostly outside the process that caused it (in"
                        + " interrupts and kernel threads): only the hits while a traced process runs are recorded;"
                        + " --all records every hit");
    }
}
