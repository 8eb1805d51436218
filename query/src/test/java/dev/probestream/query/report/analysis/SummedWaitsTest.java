package dev.probestream.query.report.analysis;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Times without a CPU that are spans, with sums of all of them, show what context switches show. */
class SummedWaitsTest {
    @TempDir
    private Path folder = Path.of("");

    @Test
    void spansAreWaits() throws Exception {
        try (Planted planted = new Planted()) {
            off(planted, 10, 15, 1, 1_000_000);
            off(planted, 20, 23, 256, 3_000_000);

            assertThat(planted.answer(
                            folder,
                            "SELECT state || ' ' || (to_ns - from_ns) // 1000000 || ' ' || (to_ns - woken_ns) // 1000000 || ' '"
                                    + " || coalesce(waker_tid, 0) FROM cpu_waits ORDER BY from_ns"))
                    .containsExactly("sleeping 5 1 101", "preempted 3 3 0");
        }
    }

    private static void off(Planted planted, double fromMs, double toMs, int state, long runnableNs) throws Exception {
        Map<String, Object> arguments = new LinkedHashMap<>();
        arguments.put("state", state);
        arguments.put("runnable_ns", runnableNs);
        arguments.put("waker_tid", 101);
        arguments.put("waker_pid", 100);
        planted.span(Planted.LOOP, "sched", "off CPU", fromMs, toMs, arguments);
    }
}
