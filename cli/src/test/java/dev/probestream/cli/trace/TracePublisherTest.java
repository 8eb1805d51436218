package dev.probestream.cli.trace;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.cli.live.LineOutput;
import dev.probestream.cli.trace.TraceOptions.TimeFormat;
import dev.probestream.collector.request.StopSignal;
import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.record.Thread;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.ZoneId;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The lines of hits by the options of bcc's trace, letter by letter. */
class TracePublisherTest {
    private static final long START_NS = 1_000_000_000;
    private static final long START_REALTIME_NS = 1_795_538_275_000_000_000L;

    @Test
    void timesAreSecondsSinceTheStart() {
        assertThat(printed(TimeFormat.SINCE_START, false, "", 0)).isEqualTo("""
                TIME            PID     TID     COMM            PROBE                MESSAGE
                0.250000        42      43      node            work                 (500.000 us)
                1.500000        42      44      libuv-worker    work                 (500.000 us)
                """);
    }

    @Test
    void timesMayBeSecondsSince1970AndTheCpuMayBeShown() {
        assertThat(printed(TimeFormat.UNIX, true, "", 0)).isEqualTo("""
                TIME              CPU  PID     TID     COMM            PROBE                MESSAGE
                1795538275.250000 1    42      43      node            work                 (500.000 us)
                1795538276.500000 17   42      44      libuv-worker    work                 (500.000 us)
                """);
    }

    @Test
    void onlyLinesOfThreadsWithSuchANameArePrintedAndCounted() {
        assertThat(printed(TimeFormat.OF_DAY, false, "uv-w", 1)).isEqualTo("""
                TIME            PID     TID     COMM            PROBE                MESSAGE
                16:37:56.500000 42      44      libuv-worker    work                 (500.000 us)
                """);
    }

    private static String printed(TimeFormat time, boolean cpu, String comm, long maxLines) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        StopSignal stop = new StopSignal();
        TraceOptions options =
                new TraceOptions(Map.of("span:work", List.of()), time, cpu, comm, false, false, false, maxLines);
        EventEncoder event = new EventEncoder();
        try (LineOutput output = new LineOutput(out, false, stop);
                TracePublisher trace =
                        new TracePublisher(options, ZoneId.of("UTC"), output, warning -> {}, stop::raise)) {
            trace.capture(new Capture(
                    1L,
                    "host",
                    "boot",
                    "Linux",
                    "6.1",
                    "#1",
                    "x86_64",
                    32,
                    "0.1",
                    List.of(),
                    START_NS,
                    START_REALTIME_NS,
                    0L));
            trace.probe(new Probe(
                    1L, 1, "span:work", "work", "user", EventKind.SPAN, "/bin/app", List.of(), "", "", "", false));
            trace.thread(new Thread(1L, 42, 43, "node", -1L, -1L));
            trace.thread(new Thread(1L, 42, 44, "libuv-worker", -1L, -1L));
            hit(trace, event, 44, 17, START_NS + 1_500_000_000);
            hit(trace, event, 43, 1, START_NS + 250_000_000);
            trace.flush();
            assertThat(stop.isRaised()).isEqualTo(maxLines > 0);
        }
        return out.toString(StandardCharsets.UTF_8);
    }

    private static void hit(TracePublisher trace, EventEncoder event, int tid, int cpu, long endNs) {
        event.begin(1, 0, endNs - 500_000, 500_000, 42, tid, cpu, 1, EventKind.SPAN);
        event.beginNumbers(0);
        event.beginStrings(0);
        event.end(0, 0, 0);
        trace.publish(event);
    }
}
