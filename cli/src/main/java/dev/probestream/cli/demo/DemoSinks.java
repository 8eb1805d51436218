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

/** One sink of each format; all read from the demo's broker during the recording. */
final class DemoSinks implements AutoCloseable {
    /** Limits that a demo does not reach: its capture is one segment and one file, which ends with the capture. */
    private static final Rolling ONE_SLICE =
            new Rolling(Long.MAX_VALUE, Long.MAX_VALUE, Duration.ofDays(1), Duration.ofHours(1), Duration.ofHours(2));

    /** Much longer than needed, for busy machines. */
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    private final Map<SinkFormat, RunningSink> sinks = new EnumMap<>(SinkFormat.class);
    private final Map<SinkFormat, List<FinishedSegment>> slices = new EnumMap<>(SinkFormat.class);

    private DemoSinks() {}

    /** Starts the sinks; each has its own folder and consumer group. */
    public static DemoSinks start(Map<String, String> clients, DemoFolder folder) throws SinkException {
        DemoSinks started = new DemoSinks();
        try {
            for (SinkFormat format : SinkFormat.values()) {
                SinkRequest request =
                        SinkRequest.follow(format, folder.sinkFolder(format), clients, "demo-" + format, ONE_SLICE);
                started.sinks.put(format, RunningSink.start(request));
            }
            return started;
        } catch (SinkException | RuntimeException e) {
            started.close();
            throw e;
        }
    }

    /** Waits until each sink has written all {@code events} events of the capture to finished files, and ends it. */
    public void finish(long events) throws IOException, SinkException, InterruptedException {
        for (Map.Entry<SinkFormat, RunningSink> sink : sinks.entrySet()) {
            slices.put(sink.getKey(), sink.getValue().finish(events, TIMEOUT));
        }
    }

    /** The finished files with events of the sink of that format. */
    public List<Path> files(SinkFormat format) {
        return slices(format).stream().flatMap(slice -> slice.files().stream()).toList();
    }

    /** The number of events in these files, as reported by the sink. */
    public long events(SinkFormat format) {
        return slices(format).stream().mapToLong(FinishedSegment::events).sum();
    }

    /** Warnings about the files. */
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
