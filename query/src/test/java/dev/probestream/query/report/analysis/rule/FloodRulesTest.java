package dev.probestream.query.report.analysis.rule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import dev.probestream.query.report.analysis.Planted;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Very many small callbacks that keep a loop from its I/O, in three turns of 200 ms. */
class FloodRulesTest {
    private static final String TICKS = "processTicksAndRejections node:internal/process/task_queues:67";
    private static final String STEP = "step /srv/app/lib/steps.js:6";

    @TempDir
    private Path folder;

    private Planted planted;

    @BeforeEach
    void begin() throws SQLException {
        planted = new Planted();
        planted.turns(200, 200, 200);
    }

    @AfterEach
    void close() throws SQLException {
        planted.close();
    }

    @Test
    void callbacksOfNextTickAreNamedWithTheFunctionThatQueuesThemAndComeFirst() throws Exception {
        samples(
                0,
                60,
                "push node:internal/fixed_queue:99",
                "nextTick node:internal/process/task_queues:112",
                "schedule /srv/app/lib/steps.js:5",
                STEP,
                TICKS);
        samples(60, 130, STEP, TICKS);
        samples(130, 195, "v8::internal::Heap::CollectGarbage()", "schedule /srv/app/lib/steps.js:5", STEP, TICKS);

        List<Finding> findings = planted.findings(folder);

        assertThat(findings.get(0).rule()).isEqualTo("next-tick-flood");
        assertThat(findings.get(0).severity()).isEqualTo(Severity.HIGH);
        assertThat(findings.get(0).title())
                .matches("Callbacks of process.nextTick kept the event loop from its I/O for \\d+ % of the time,"
                        + " from schedule \\(lib/steps.js:5\\)\\.");
        assertThat(findings.get(1).title()).contains("by very many callbacks of process.nextTick, from ");
    }

    @Test
    void longFunctionInACallbackOfNextTickIsABlockedLoopAndNoFlood() throws Exception {
        samples(0, 10, "emitAfterScript node:internal/async_hooks:539", TICKS);
        samples(10, 195, "compress /srv/app/lib/steps.js:9", STEP, TICKS);

        assertThat(planted.rules(folder)).contains("loop-blocked").doesNotContain("next-tick-flood");
    }

    @Test
    void microtasksBelowTheQueueOfNextTickAreNotItsCallbacks() throws Exception {
        samples(0, 195, "emitAfterScript node:internal/async_hooks:539", "Builtins_RunMicrotasks", TICKS);

        assertThat(planted.rules(folder)).doesNotContain("next-tick-flood");
    }

    @Test
    void microtasksThatMakeMuchGarbageAreAFloodToo() throws Exception {
        for (int turn = 0; turn < 3; turn++) {
            planted.span(
                    Planted.LOOP, "node-loop", "microtasks", turn * 201 + 2, turn * 201 + 200, Map.of("pending", 1));
        }
        samples(1, 40, "Builtins_PromiseFulfillReactionJob", "pump /srv/app/lib/pump.js:4", TICKS);
        samples(
                40,
                195,
                "v8::internal::Heap::CollectGarbage()",
                "Builtins_AsyncFunctionEnter",
                "pump /srv/app/lib/pump.js:4",
                TICKS);

        List<Finding> findings = planted.findings(folder);

        assertThat(findings.get(0).rule()).isEqualTo("microtask-flood");
        assertThat(findings)
                .extracting(Finding::title)
                .anyMatch(title -> title.contains("by very many microtasks, from pump"));
    }

    /** In each turn, in ms from its start. */
    private void samples(double fromMs, double toMs, String... leafFirst) throws SQLException {
        long stack = planted.stack(leafFirst);
        for (int turn = 0; turn < 3; turn++) {
            planted.samples(Planted.LOOP, turn * 201 + 2 + fromMs, turn * 201 + 2 + toMs, stack);
        }
    }
}
