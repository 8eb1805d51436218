package dev.probestream.cli.demo;

import dev.probestream.sink.FinishedSegment;
import dev.probestream.sink.SinkException;
import dev.probestream.sink.SinkRequest;
import dev.probestream.sink.finish.SinkFormat;
import dev.probestream.sink.segment.Rolling;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** One sink of each format, all reading the demo's broker while it is being recorded. */
final class DemoSinks implements AutoCloseable {
    /** Limits that a demo does not reach: its capture is one slice, and so one file. It ends with the capture. */
    private static final Rolling ONE_SLICE =
            new Rolling(Long.MAX_VALUE, Long.MAX_VALUE, Duration.ofDays(1), Duration.ofHours(1), Duration.ofHours(2));

    /** Far longer than it takes; a machine may be busy with other things. */
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final Map<SinkFormat, RunningSink> sinks = new EnumMap<>(SinkFormat.class);
    private final Map<SinkFormat, List<FinishedSegment>> slices = new EnumMap<>(SinkFormat.class);

    private DemoSinks() {}

    /** Starts them; each works in its own folder and in a consumer group of its own. */
    public static DemoSinks start(String bootstrapServers, DemoFolder folder) throws SinkException {
        DemoSinks started = new DemoSinks();
        try {
            for (SinkFormat format : SinkFormat.values()) {
                SinkRequest request = SinkRequest.follow(
                        format,
                        folder.sinkFolder(format),
                        Map.of("bootstrap.servers", bootstrapServers),
                        "demo-" + format,
                        ONE_SLICE);
                started.sinks.put(format, RunningSink.start(request));
            }
            return started;
        } catch (SinkException | RuntimeException e) {
            started.close();
            throw e;
        }
    }

    /** Waits until each has all {@code events} events of the capture in finished files, and ends it. */
    public void finish(long events) throws IOException, SinkException, InterruptedException {
        for (Map.Entry<SinkFormat, RunningSink> sink : sinks.entrySet()) {
            slices.put(sink.getKey(), sink.getValue().finish(events, PATIENCE));
        }
    }

    /** The files with events that the sink of that format has finished. */
    public List<Path> files(SinkFormat format) {
        return slices(format).stream().flatMap(slice -> slice.files().stream()).toList();
    }

    /** How many events are in them, as the sink says. */
    public long events(SinkFormat format) {
        return slices(format).stream().mapToLong(FinishedSegment::events).sum();
    }

    /** What a person should know about the files. */
    public Set<String> remarks() {
        Set<String> remarks = new LinkedHashSet<>();
        slices.values().forEach(all -> all.forEach(slice -> remarks.addAll(slice.warnings())));
        return remarks;
    }

    private List<FinishedSegment> slices(SinkFormat format) {
        return slices.getOrDefault(format, List.of());
    }

    @Override
    public void close() {
        sinks.values().forEach(RunningSink::close);
    }
}
