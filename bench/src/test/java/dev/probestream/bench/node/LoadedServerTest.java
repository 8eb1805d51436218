package dev.probestream.bench.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What the benchmark "impact" takes for granted of its servers. */
final class LoadedServerTest {
    private static final int MS = 100;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource(names = {"HELLO", "FILES", "TLS"})
    void loadIsAnsweredAndItsCpuTimeMeasured(ServerKind kind) throws Exception {
        try (LoadedServer server = LoadedServer.start(folder, kind)) {
            ServerLoad.Result result = server.run(MS, ServerLoad.FLAT_OUT);

            assertThat(result.requests()).isPositive();
            assertThat(result.cpuUs()).isPositive();
            assertThat(result.p99Us()).isPositive();
        }
    }

    @Test
    void loadOfARateHasSoManyRequests() throws Exception {
        try (LoadedServer server = LoadedServer.start(folder, ServerKind.HELLO)) {
            // One more of each of the 16 connections ends it.
            assertThat(server.run(1000, 100).requests()).isBetween(1L, 100 + 16L);
        }
    }
}
