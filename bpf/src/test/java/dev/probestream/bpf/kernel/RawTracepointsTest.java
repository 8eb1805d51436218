package dev.probestream.bpf.kernel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.bpf.HeldKernelObjects;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.sys.SyscallException;
import org.junit.jupiter.api.Test;

@KernelTest(since = "5.8")
class RawTracepointsTest {
    @Test
    void everyHitIsCountedUntilTheLinkIsClosed() throws Exception {
        HeldKernelObjects before = HeldKernelObjects.held();
        try (KillCounter counter = KillCounter.forRawSysEnter()) {
            Link link = RawTracepoints.attach(counter.program(), "sys_enter");
            KillCounter.kill(10);
            link.close();
            link.close();
            KillCounter.kill(10);

            assertThat(counter.hits()).isEqualTo(10);
        }
        assertThat(HeldKernelObjects.held()).isEqualTo(before);
    }

    @Test
    void unknownTracepointIsNamedAndLeavesNothingBehind() throws Exception {
        HeldKernelObjects before = HeldKernelObjects.held();
        try (KillCounter counter = KillCounter.forRawSysEnter()) {
            assertThatThrownBy(() -> RawTracepoints.attach(counter.program(), "sys_entre"))
                    .isInstanceOf(SyscallException.class)
                    .hasMessage("attach program kill_counter to raw tracepoint sys_entre: ENOENT (this kernel has no"
                            + " such tracepoint: see the folders under /sys/kernel/tracing/events)");
        }
        assertThat(HeldKernelObjects.held()).isEqualTo(before);
    }
}
