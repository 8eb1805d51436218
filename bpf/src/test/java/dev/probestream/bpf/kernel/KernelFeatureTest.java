package dev.probestream.bpf.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.HeldKernelObjects;
import dev.probestream.bpf.KernelTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KernelFeatureTest {
    @ParameterizedTest
    @EnumSource
    @KernelTest(since = "6.10")
    void recentKernelHasEveryFeature(KernelFeature feature) {
        KernelFeature.Support support = feature.probe();

        assertThat(support).isEqualTo(new KernelFeature.Support(feature, true, false, "tried, and it works"));
        assertThat(feature.sinceKernel()).matches("[4-6]\\.[0-9]+");
    }

    @Test
    @KernelTest(since = "5.8")
    void askingLeavesNothingBehind() throws Exception {
        HeldKernelObjects before = HeldKernelObjects.held();
        for (KernelFeature feature : KernelFeature.values()) {
            feature.probe();
        }
        assertThat(HeldKernelObjects.held()).isEqualTo(before);
        HeldKernelObjects.awaitGone("trial_");
    }

    @Test
    void missingFeatureIsNamedWithItsFirstKernelAndTheReason() {
        KernelFeature.Support support =
                new KernelFeature.Support(KernelFeature.RING_BUFFER, false, false, "create map: EINVAL");

        assertThat(new UnsupportedFeatureException(support))
                .hasMessage("this kernel has no ring buffers (Linux 5.8 and later have): create map: EINVAL");
    }

    @Test
    void refusalSaysNothingOfTheKernelsVersion() {
        KernelFeature.Support support =
                new KernelFeature.Support(KernelFeature.RING_BUFFER, false, true, "create map: EPERM");

        assertThat(new UnsupportedFeatureException(support))
                .hasMessage("the kernel refuses ring buffers: create map: EPERM");
    }

    /** The log of Linux 6.12 with lockdown=confidentiality; earlier kernels say "unknown func". */
    @Test
    void lockdownIsRecognisedInTheVerifiersLog() {
        String log = """
                11: (85) call bpf_probe_read_kernel#113
                program of this type cannot use helper bpf_probe_read_kernel#113
                """;
        assertThat(ProgramLoader.isRefusedByLockdown(log, "confidentiality")).isTrue();
        assertThat(ProgramLoader.isRefusedByLockdown("unknown func bpf_probe_read_kernel_str#115", "confidentiality"))
                .isTrue();
        assertThat(ProgramLoader.isRefusedByLockdown(log, "integrity")).isFalse();
        assertThat(ProgramLoader.isRefusedByLockdown("R1 type=scalar expected=fp", "confidentiality"))
                .isFalse();
    }

    @Test
    void meansGoFromBestToLast() {
        assertThat(UprobeAttachMethod.values())
                .containsExactly(UprobeAttachMethod.MULTI, UprobeAttachMethod.PERF_LINK, UprobeAttachMethod.PERF_IOCTL);
    }
}
