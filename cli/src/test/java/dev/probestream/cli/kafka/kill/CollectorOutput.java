package dev.probestream.cli.kafka.kill;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.regex.Pattern;

/**
 * What a collector says of itself.
 *
 * @param delivered events that it read
 * @param acknowledged events that the broker has
 * @param lost hits that it counted as lost
 */
record CollectorOutput(long captureId, long delivered, long acknowledged, long lost) {
    /** What it says when every probe is in place. */
    static final String READY = "collecting capture ";

    private static final Pattern CAPTURE = Pattern.compile(READY + "(-?\\d+)");
    private static final Pattern SUMMARY = Pattern.compile("^\\{.*}$");

    /** The summary of one that has ended. */
    static CollectorOutput ended(Service collector) throws IOException, InterruptedException {
        JsonNode json = new ObjectMapper().readTree(collector.await(SUMMARY).group());
        return new CollectorOutput(
                Long.parseLong(json.get("captureId").asText()),
                json.get("delivered").asLong(),
                json.get("acknowledged").asLong(),
                json.get("lost").asLong());
    }

    static long captureId(Service collector) throws IOException, InterruptedException {
        return Long.parseLong(collector.await(CAPTURE).group(1));
    }

    /** By its metrics, now. */
    static long acknowledged(Service collector) throws IOException, InterruptedException {
        return Math.round(collector.metrics().sum("probestream_collect_acknowledged_events_total"));
    }

    /** By its metrics, now. */
    static long lost(Service collector) throws IOException, InterruptedException {
        return Math.round(collector.metrics().sum("probestream_collect_lost_events_total"));
    }

    /** Waits until it has so many more events acknowledged than now. */
    static void awaitMore(Service collector, long events) throws IOException, InterruptedException {
        long wanted = acknowledged(collector) + events;
        BoundedWait.await(
                () -> acknowledged(collector) >= wanted, () -> wanted + " acknowledged of " + collector.output());
    }
}
