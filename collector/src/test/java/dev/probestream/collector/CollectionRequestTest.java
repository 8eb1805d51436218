package dev.probestream.collector;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.collector.probe.Disclosure;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.SpecSyntaxException;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.collector.request.CollectionRequest;
import dev.probestream.collector.request.TargetSelection;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

class CollectionRequestTest {
    private static CollectionRequest.Builder builder() {
        return CollectionRequest.of(TargetSelection.ofPids(List.of(1)));
    }

    @Test
    void defaultsAreThoseOfTheCommandLine() {
        CollectionRequest request = builder().probes("usdt:node:gc__start").build();

        assertThat(request.limit()).isEmpty();
        assertThat(request.followChildren()).isFalse();
        assertThat(request.ringSizeBytes()).isEqualTo(16 << 20);
        assertThat(request.commandLine()).isEmpty();
        assertThat(request.toolVersion()).startsWith("probestream-collector ");
        assertThat(request.isLive()).isFalse();
        assertThat(request.shown()).isEqualTo(Disclosure.NONE);
    }

    @Test
    void probesAreSetsOrSpecsAndAdd() {
        CollectionRequest request = builder()
                .probes("node-gc", "uprobe:main")
                .probes(List.of(SpecParser.parse("uprobe:exit")))
                .build();

        assertThat(request.probes()).extracting(ProbeSpec::text).contains("uprobe:main", "uprobe:exit");
        assertThat(request.probes()).hasSizeGreaterThan(2);
        assertThat(request.toString()).contains("uprobe:main", "pids=[1]");
    }

    @Test
    void aRequestDoesNotChangeWithItsBuilder() {
        CollectionRequest.Builder builder = builder().probes("uprobe:main");
        CollectionRequest request = builder.build();
        builder.probes("uprobe:exit").limit(Duration.ofSeconds(1)).live();

        assertThat(request.probes()).hasSize(1);
        assertThat(request.limit()).isEmpty();
        assertThat(request.isLive()).isFalse();
    }

    @Test
    void aValueOutsideItsRangeIsRefusedWithItsField() {
        refuses(builder(), "probes: ");
        refuses(builder().probes("uprobe:main").limit(Duration.ZERO), "limit: PT0S ");
        refuses(builder().probes("uprobe:main").limit(Duration.ofSeconds(-1)), "limit: PT-1S ");
        refuses(builder().probes("uprobe:main").ringSizeBytes(5000), "ringSizeBytes: 5000 ");
        refuses(builder().probes("uprobe:main").ringSizeBytes(2048), "ringSizeBytes: 2048 ");
        assertThatThrownBy(() -> builder().probes("no:such:thing")).isInstanceOf(SpecSyntaxException.class);
        assertThatThrownBy(() -> TargetSelection.ofPids(List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("pids");
    }

    private static void refuses(CollectionRequest.Builder builder, String start) {
        assertThatThrownBy(builder::build)
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageStartingWith(start);
    }
}
