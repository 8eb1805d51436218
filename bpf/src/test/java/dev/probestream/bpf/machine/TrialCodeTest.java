package dev.probestream.bpf.machine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.kernel.AttachPoint;
import dev.probestream.bpf.kernel.BpfProgram;
import dev.probestream.bpf.kernel.Link;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.bpf.kernel.Uprobes;
import dev.probestream.bpf.watch.RunStatistics;
import java.nio.file.Files;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@KernelTest(since = "5.8")
class TrialCodeTest {
    @ParameterizedTest
    @EnumSource(TrialCode.Site.class)
    void aProbeOnATrialFunctionIsHitByEachCall(TrialCode.Site site) {
        assumeTrue(TrialCode.isSupported());
        UprobeAttachMethod method = UprobeAttachMethod.best();
        ProgramSpec empty = new ProgramSpec(
                "empty",
                ProgramType.KPROBE,
                method.attachType(),
                0,
                0,
                new Assembler().mov(Register.R0, 0).exit().assemble());
        for (boolean isReturn : new boolean[] {false, true}) {
            try (TrialCode code = TrialCode.open();
                    RunStatistics counted = RunStatistics.open();
                    BpfProgram program = BpfProgram.load(empty, Map.of())) {
                AttachPoint point = new AttachPoint(code.path(), site.fileOffset(), 0, 0);
                int pid = Math.toIntExact(ProcessHandle.current().pid());
                code.call(site, 3);
                try (Link attached = Uprobes.attach(method, program, List.of(point), isReturn, pid)) {
                    code.call(site, 70);
                    code.callSystem(2);
                    assertThat(attached).isNotNull();
                }
                code.call(site, 5);

                assertThat(program.runs().count()).isEqualTo(70);
                assertThat(counted).isNotNull();
                assertThat(Files.exists(code.path())).isTrue();
            }
        }
    }
}
