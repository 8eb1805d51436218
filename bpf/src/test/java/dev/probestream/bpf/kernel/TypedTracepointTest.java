package dev.probestream.bpf.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.HeldKernelObjects;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.BtfKind;
import org.junit.jupiter.api.Test;

@KernelTest(since = "5.5")
class TypedTracepointTest {
    @Test
    void programThatNamesItsTracepointByTypeIsAttached() throws Exception {
        int sysEnter = BtfFile.ofKernel()
                .typeId("btf_trace_sys_enter", BtfKind.TYPEDEF)
                .orElseThrow();
        HeldKernelObjects before = HeldKernelObjects.held();
        try (KillCounter counter = KillCounter.forTypedSysEnter(sysEnter);
                Link link = RawTracepoints.attach(counter.program(), "sys_enter")) {
            KillCounter.kill(10);

            assertThat(link).isNotNull();
            assertThat(counter.hits()).isEqualTo(10);
        }
        assertThat(HeldKernelObjects.held()).isEqualTo(before);
    }
}
