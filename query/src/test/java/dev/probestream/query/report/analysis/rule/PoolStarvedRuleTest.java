package dev.probestream.query.report.analysis.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PoolStarvedRuleTest {
    @TempDir
    private Path folder;

    private Planted planted;

    @BeforeEach
    void begin() throws SQLException {
        planted = new Planted();
    }

    @AfterEach
    void close() throws SQLException {
        planted.close();
    }

    @Test
    void starvedPoolIsFoundWithTheWorkAndItsCaller() throws Exception {
        long verify = planted.stack(
                "node::ThreadPoolWork::ScheduleWork()", "pbkdf2 node:internal/crypto/pbkdf2:54",
                "verifyPassword /app/lib/auth.js:41", "onRequest /app/server.js:5");
        long hashing = planted.stack("SHA512_Update", "PKCS5_PBKDF2_HMAC", "node::ThreadPoolWork", "worker");
        pool(true, verify);
        planted.samples(201, 0, 300, hashing);
        for (int i = 0; i < 10; i++) {
            planted.request("SERVER", "/login", 0, 100 + i, "90000000 AS pool_queue_ns");
        }

        Finding finding = planted.finding(folder, "pool-starved");

        assertThat(finding.severity()).isEqualTo(Severity.HIGH);
        assertThat(finding.title())
                .isEqualTo(
                        "The thread pool was starved: 2 threads busy with pbkdf2, from verifyPassword (lib/auth.js:41).");
        assertThat(finding.text())
                .startsWith("100 % of the slowest requests (1 of 1) waited for the pool.")
                .contains("crypto (6 times, up to 100 ms)");
    }

    @Test
    void workThatWaitsWhileThreadsAreIdleDoesNotStarve() throws Exception {
        pool(false, 0);

        assertThat(planted.rules(folder)).containsExactly("healthy");
    }

    /** Six pieces of work on two threads, queued at once or each when it can run. */
    private void pool(boolean isQueuedAtOnce, long caller) throws SQLException {
        planted.thread(201, "libuv-worker").thread(202, "libuv-worker");
        int request = 500;
        for (int round = 0; round < 3; round++) {
            for (int worker : new int[] {201, 202}) {
                double queuedMs = isQueuedAtOnce ? 0 : round * 200;
                double startMs = isQueuedAtOnce ? round * 100 + 0.1 : round * 200 + 90;
                request++;
                planted.event(
                        Planted.LOOP,
                        "node-pool",
                        "work queued",
                        queuedMs,
                        Map.of("request", request, "kind", "crypto"),
                        0);
                if (caller != 0) {
                    planted.event(
                            Planted.LOOP,
                            "node-callers",
                            "caller of work",
                            queuedMs,
                            Map.of("request", request),
                            caller);
                }
                planted.span(
                        worker,
                        "node-pool",
                        "work",
                        startMs,
                        startMs + 99.8,
                        Map.of("request", request, "kind", "crypto"));
            }
        }
        if (isQueuedAtOnce) {
            // One more that is quick, and waited.
            planted.event(Planted.LOOP, "node-fs", "fs work queued", 1, Map.of("request", 900), 0);
            planted.span(201, "node-fs", "uv__fs_work", 301, 301.1, Map.of("request", 900, "type", 3, "path", "/x"));
        }
    }
}
