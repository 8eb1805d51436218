package dev.probestream.bench.kafka;

import dev.probestream.bench.measure.ChildRuns;
import dev.probestream.sink.Sink;
import dev.probestream.sink.SinkListener;
import dev.probestream.sink.SinkOutcome;
import dev.probestream.sink.SinkRequest;
import dev.probestream.sink.finish.SinkFormat;
import dev.probestream.sink.segment.Rolling;
import java.nio.file.Path;
import java.util.Map;

/**
 * A JVM that runs {@code sink parquet --once}. Its arguments: the broker's address, the folder. It prints the events that
 * it finished, the milliseconds, and its peak memory in bytes.
 */
final class SinkStartChild {
    private SinkStartChild() {}

    public static void main(String[] arguments) throws Exception {
        long startNs = System.nanoTime();
        SinkRequest request = SinkRequest.catchUp(
                SinkFormat.PARQUET, Path.of(arguments[1]), Map.of("bootstrap.servers", arguments[0]), Rolling.DEFAULT);
        SinkOutcome outcome;
        try (Sink sink = Sink.open(request, SinkListener.NONE)) {
            outcome = sink.run(() -> false);
        }
        System.out.println(outcome.eventsFinished() + " " + (System.nanoTime() - startNs) / 1_000_000 + " "
                + ChildRuns.peakMemoryBytes());
    }
}
