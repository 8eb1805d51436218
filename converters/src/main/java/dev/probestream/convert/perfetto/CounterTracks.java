package dev.probestream.convert.perfetto;

import dev.probestream.convert.shape.ArgumentShape;
import dev.probestream.convert.shape.LongMap;
import dev.probestream.convert.shape.ProbeShape;
import dev.probestream.convert.timeline.ProcessTrack;
import dev.probestream.convert.timeline.TraceWriter;
import dev.probestream.schema.perfetto.CounterDescriptor;
import dev.probestream.schema.perfetto.TrackDescriptor;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;

/** One counter track per process and argument, and one per derived counter, made when its first value comes. */
final class CounterTracks {
    private final MetadataSequence metadata;
    private final Uuids uuids;
    private final long[] processUuids;
    private final int argumentCount;

    /** By process, then by argument; 0 = not made yet. */
    private final long[][] tracks;

    /** By derived counter. */
    private final LongMap<Long> derivedTracks = new LongMap<>();

    /** Of the captures, by name. */
    private final Map<String, Long> namedTracks = new HashMap<>();

    CounterTracks(MetadataSequence metadata, Uuids uuids, long[] processUuids, int argumentCount) {
        this.metadata = metadata;
        this.uuids = uuids;
        this.processUuids = processUuids;
        this.argumentCount = argumentCount;
        this.tracks = new long[processUuids.length][0];
    }

    long uuid(ProcessTrack process, ProbeShape probe, ArgumentShape argument, long timestampNs) throws IOException {
        long[] ofProcess = tracks[process.index()];
        if (ofProcess.length == 0) {
            ofProcess = new long[argumentCount];
            tracks[process.index()] = ofProcess;
        }
        if (ofProcess[argument.index()] == 0) {
            long uuid = uuids.next();
            ofProcess[argument.index()] = uuid;
            metadata.write(
                    TrackDescriptor.newBuilder()
                            .setUuid(uuid)
                            .setParentUuid(processUuids[process.index()])
                            .setName(probe.name() + " " + argument.name())
                            .setCounter(counter(argument.unit())),
                    timestampNs);
        }
        return ofProcess[argument.index()];
    }

    long uuid(TraceWriter.DerivedCounter counter, long timestampNs) throws IOException {
        Long known = derivedTracks.get(counter.index());
        if (known != null) {
            return known;
        }
        long uuid = uuids.next();
        derivedTracks.put(counter.index(), uuid);
        metadata.write(
                TrackDescriptor.newBuilder()
                        .setUuid(uuid)
                        .setParentUuid(processUuids[counter.thread().process().index()])
                        .setName(counter.name())
                        .setCounter(counter(counter.unit())),
                timestampNs);
        return uuid;
    }

    /** Of a counter below any track. */
    long uuid(long parentUuid, String name, String unit, long timestampNs) throws IOException {
        Long known = namedTracks.get(name);
        if (known != null) {
            return known;
        }
        long uuid = uuids.next();
        namedTracks.put(name, uuid);
        metadata.write(
                TrackDescriptor.newBuilder()
                        .setUuid(uuid)
                        .setParentUuid(parentUuid)
                        .setName(name)
                        .setCounter(counter(unit)),
                timestampNs);
        return uuid;
    }

    private static CounterDescriptor counter(String unit) {
        CounterDescriptor.Builder counter = CounterDescriptor.newBuilder();
        switch (unit) {
            case "" -> {}
            case "ns" -> counter.setUnit(CounterDescriptor.Unit.UNIT_TIME_NS);
            case "bytes" -> counter.setUnit(CounterDescriptor.Unit.UNIT_SIZE_BYTES);
            case "count" -> counter.setUnit(CounterDescriptor.Unit.UNIT_COUNT);
            default -> counter.setUnitName(unit);
        }
        return counter.build();
    }
}
