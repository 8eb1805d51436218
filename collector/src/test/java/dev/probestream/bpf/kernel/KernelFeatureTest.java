package dev.probestream.bpf.kernel;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelObjects;
import dev.probestream.bpf.KernelTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class KernelFeatureTest {
    @ParameterizedTest
    @EnumSource
    @KernelTest(since = "6.10")
    void recentKernelHasEveryFeature(KernelFeature feature) {
        FeatureSupport support = feature.ask();

        assertThat(support).isEqualTo(new FeatureSupport(feature, true, "tried, and it works"));
        assertThat(feature.sinceKernel()).matches("[4-6]\\.[0-9]+");
    }

    @Test
    @KernelTest(since = "5.8")
    void askingLeavesNothingBehind() throws Exception {
        KernelObjects before = KernelObjects.held();
        for (KernelFeature feature : KernelFeature.values()) {
            feature.ask();
        }
        assertThat(KernelObjects.held()).isEqualTo(before);
        KernelObjects.awaitGone("trial_");
    }

    @Test
    void missingFeatureIsNamedWithItsFirstKernelAndTheReason() {
        FeatureSupport support = new FeatureSupport(KernelFeature.RING_BUFFER, false, "create map: EINVAL");

        assertThat(new UnsupportedFeatureException(support))
                .hasMessage("this kernel has no ring buffers (Linux 5.8 and later have): create map: EINVAL");
    }

    @Test
    void meansGoFromBestToLast() {
        assertThat(UprobeMeans.values())
                .containsExactly(UprobeMeans.MULTI, UprobeMeans.PERF_LINK, UprobeMeans.PERF_IOCTL);
    }
}
