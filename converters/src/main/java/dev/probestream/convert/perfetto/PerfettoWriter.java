package dev.probestream.convert.perfetto;

import dev.probestream.convert.shape.ArgumentShape;
import dev.probestream.convert.shape.ProbeShape;
import dev.probestream.convert.timeline.CaptureTracks;
import dev.probestream.convert.timeline.CpuSwitch;
import dev.probestream.convert.timeline.ProcessTrack;
import dev.probestream.convert.timeline.RequestSpan;
import dev.probestream.convert.timeline.ThreadState;
import dev.probestream.convert.timeline.ThreadTrack;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.convert.timeline.TraceEvent;
import dev.probestream.convert.timeline.TraceWriter;
import dev.probestream.convert.timeline.Waking;
import dev.probestream.schema.perfetto.TracePacket;
import dev.probestream.schema.perfetto.TrackDescriptor;
import dev.probestream.schema.perfetto.TrackEvent;
import dev.probestream.schema.record.FlowStep;
import java.io.IOException;
import java.io.OutputStream;

/**
 * Writes a timeline as a Perfetto trace (google/perfetto, protos/perfetto/trace, v58).
 *
 * <p>Each thread has a packet sequence of its own, with its names and stacks interned and its times incremental: a span
 * without arguments takes about 30 bytes. A span that never ended has a BEGIN and no END. The machine's context
 * switches go as ftrace events, from which viewers make the CPU tracks and the threads' states.
 */
public final class PerfettoWriter implements TraceWriter {
    private static final int FIRST_THREAD_SEQUENCE = CaptureTrack.SEQUENCE_ID + 1;

    private final Timeline timeline;
    private final PacketStream packets;
    private final Uuids uuids = new Uuids();
    private final MetadataSequence metadata;
    private final CaptureTrack captureTrack;
    private final FtraceBundles ftrace;
    private final CounterTracks counters;
    private final DerivedSequence derived;
    private final RequestTracks requests;
    private final GapTracks gaps;
    private final Interning interning;
    private final Annotations annotations;
    private final long[] processUuids;
    private final ThreadSequence[] sequences;
    private final RecordedTracks recorded = new RecordedTracks();

    /** @param out is flushed by {@link #finish}; closing it is the caller's. */
    public PerfettoWriter(Timeline timeline, OutputStream out) {
        this.timeline = timeline;
        packets = new PacketStream(out);
        metadata = new MetadataSequence(packets);
        captureTrack = new CaptureTrack(packets, uuids.next());
        ftrace = new FtraceBundles(packets);
        interning = new Interning(timeline);
        annotations = new Annotations(packets.buffer());
        processUuids = new long[timeline.processCount()];
        sequences = new ThreadSequence[timeline.threadCount()];
        for (CaptureTracks capture : timeline.captures()) {
            capture.processes().forEach(this::number);
        }
        counters = new CounterTracks(metadata, uuids, processUuids, timeline.argumentCount());
        derived = new DerivedSequence(packets, timeline, FIRST_THREAD_SEQUENCE + sequences.length);
        gaps = new GapTracks(metadata, uuids, processUuids, captureTrack);
        requests = new RequestTracks(metadata, derived, uuids, processUuids, annotations);
    }

    private void number(ProcessTrack process) {
        processUuids[process.index()] = uuids.next();
        recorded.add(process, processUuids[process.index()]);
        for (ThreadTrack thread : process.threads()) {
            int sequenceId = FIRST_THREAD_SEQUENCE + thread.index();
            sequences[thread.index()] = new ThreadSequence(thread, sequenceId, uuids.next(), timeline.startNs());
            recorded.add(thread, sequences[thread.index()].trackUuid());
        }
    }

    @Override
    public void start() throws IOException {
        long startNs = timeline.startNs();
        metadata.open(timeline);
        metadata.machine(timeline);
        // The sequences' clocks are tied to the trace's here, all at one time: a viewer needs each clock's snapshots
        // in order of time.
        for (ThreadSequence sequence : sequences) {
            metadata.openSequence(sequence, startNs);
        }
        for (CaptureTracks capture : timeline.captures()) {
            metadata.processTree(capture, startNs);
            for (ProcessTrack process : capture.processes()) {
                long processUuid = processUuids[process.index()];
                metadata.process(process, processUuid, startNs);
                for (ThreadTrack thread : process.threads()) {
                    metadata.thread(thread, sequences[thread.index()].trackUuid(), processUuid, startNs);
                }
            }
        }
        metadata.write(captureTrack.descriptor(), startNs);
        captureTrack.start(timeline);
        if (timeline.lost() > 0) {
            metadata.lossTotal(timeline.lost(), startNs);
        }
    }

    @Override
    public void beginSpan(TraceEvent span) throws IOException {
        ThreadSequence sequence = sequences[span.thread().index()];
        long laneUuid = span.lane() == 0 ? 0 : laneUuid(sequence, span.lane(), span.startNs());
        ProtoBuffer packet = packets.begin();
        sequence.putHeader(packet, span.startNs());
        interning.put(packet, sequence, span);
        putEvent(packet, TrackEvent.Type.TYPE_SLICE_BEGIN_VALUE, laneUuid, span);
        packets.end();
    }

    @Override
    public void endSpan(ThreadTrack thread, int lane, long endNs) throws IOException {
        ThreadSequence sequence = sequences[thread.index()];
        ProtoBuffer packet = packets.begin();
        sequence.putHeader(packet, endNs);
        int message = packet.begin(Tags.TRACK_EVENT);
        packet.varint(Tags.TYPE, TrackEvent.Type.TYPE_SLICE_END_VALUE);
        if (lane > 0) {
            packet.varint(Tags.TRACK_UUID, sequence.laneUuid(lane));
        }
        packet.end(message);
        packets.end();
    }

    @Override
    public void instant(TraceEvent instant) throws IOException {
        ThreadSequence sequence = sequences[instant.thread().index()];
        ProtoBuffer packet = packets.begin();
        sequence.putHeader(packet, instant.startNs());
        interning.put(packet, sequence, instant);
        if (CpuSamples.isOne(instant)) {
            CpuSamples.put(packet, instant);
        } else {
            putEvent(packet, TrackEvent.Type.TYPE_INSTANT_VALUE, 0, instant);
        }
        packets.end();
    }

    @Override
    public void counter(TraceEvent counter) throws IOException {
        ThreadSequence sequence = sequences[counter.thread().index()];
        ProbeShape probe = counter.probe();
        for (int i = 0; i < probe.argumentCount(); i++) {
            if (!counter.hasNumber(i)) {
                continue;
            }
            ArgumentShape argument = probe.argument(i);
            long uuid = counters.uuid(counter.thread().process(), probe, argument, counter.startNs());
            long value = counter.number(i);
            ProtoBuffer packet = packets.begin();
            sequence.putHeader(packet, counter.startNs());
            int message = packet.begin(Tags.TRACK_EVENT);
            packet.varint(Tags.TYPE, TrackEvent.Type.TYPE_COUNTER_VALUE);
            packet.varint(Tags.TRACK_UUID, uuid);
            if (argument.isUnsigned() && value < 0) {
                packet.float64(Tags.DOUBLE_COUNTER_VALUE, (value >>> 1) * 2.0);
            } else {
                packet.varint(Tags.COUNTER_VALUE, value);
            }
            packet.end(message);
            packets.end();
        }
    }

    @Override
    public void request(RequestSpan request) throws IOException {
        requests.put(request);
    }

    @Override
    public void derived(TraceWriter.DerivedCounter counter, long atNs, long value) throws IOException {
        derived.counter(counters.uuid(counter, atNs), atNs, value);
    }

    @Override
    public void cpuSwitch(CpuSwitch cpuSwitch) throws IOException {
        ftrace.add(cpuSwitch, boottimeNs(cpuSwitch.timestampNs()));
    }

    @Override
    public void waking(Waking waking) throws IOException {
        ftrace.add(waking, boottimeNs(waking.timestampNs()));
    }

    /** Viewers make the states from the context switches themselves. */
    @Override
    public void threadState(ThreadTrack thread, ThreadState state, long fromNs, long toNs) {}

    @Override
    public void clocks(long monotonicNs, long boottimeNs, long realtimeNs) throws IOException {
        metadata.clocks(monotonicNs, boottimeNs, realtimeNs);
    }

    @Override
    public void loss(TraceWriter.LossMark loss) throws IOException {
        captureTrack.loss(loss);
    }

    @Override
    public void gap(TraceWriter.GapMark gap) throws IOException {
        gaps.put(gap);
    }

    @Override
    public void captureCounter(String name, String unit, long atNs, double value) throws IOException {
        captureTrack.counter(counters.uuid(captureTrack.uuid(), name, unit, atNs), atNs, value);
    }

    @Override
    public void finish() throws IOException {
        ftrace.flush();
        packets.flush();
    }

    /**
     * Adds a packet of a merged file, between {@link #start} and {@link #finish}.
     *
     * @param packet of a sequence from 2^30 on, and of tracks whose uuids have bit 62 set: all lower ones are taken
     */
    public void append(TracePacket packet) throws IOException {
        packets.write(packet);
    }

    /** As above, a packet that is encoded already. */
    public void append(byte[] packet) throws IOException {
        packets.write(packet);
    }

    /** The track of the last process of that pid on the first capture's machine; 0 = there is none. */
    public long processTrackUuid(int pid) {
        return recorded.processUuid(pid);
    }

    /** The track of that thread of it; 0 = there is none. */
    public long threadTrackUuid(int pid, int tid) {
        return recorded.threadUuid(pid, tid);
    }

    private long boottimeNs(long monotonicNs) {
        return monotonicNs + timeline.captures().get(0).boottimeOffsetNs(monotonicNs);
    }

    private void putEvent(ProtoBuffer packet, int type, long laneUuid, TraceEvent event) {
        int message = packet.begin(Tags.TRACK_EVENT);
        packet.varint(Tags.TYPE, type);
        if (laneUuid != 0) {
            packet.varint(Tags.TRACK_UUID, laneUuid);
        }
        packet.varint(Tags.CATEGORY_IIDS, Interning.iid(event.probe().categoryIndex()));
        packet.varint(Tags.NAME_IID, Interning.iid(event.probe().nameIndex()));
        event.showArguments(annotations);
        for (int i = 0; i < event.flowCount(); i++) {
            boolean isLast = event.flowStep(i) == FlowStep.END;
            packet.fixed64(isLast ? Tags.TERMINATING_FLOW_IDS : Tags.FLOW_IDS, event.flowNumber(i));
        }
        if (event.stackIndex() != TraceEvent.NO_STACK) {
            packet.varint(Tags.CALLSTACK_IID, Interning.iid(event.stackIndex()));
        }
        packet.end(message);
    }

    private long laneUuid(ThreadSequence sequence, int lane, long timestampNs) throws IOException {
        if (sequence.laneUuid(lane) == 0) {
            sequence.setLaneUuid(lane, uuids.next());
            metadata.write(
                    TrackDescriptor.newBuilder()
                            .setUuid(sequence.laneUuid(lane))
                            .setParentUuid(sequence.trackUuid())
                            .setName("overlapping spans of " + sequence.thread().name()),
                    timestampNs);
        }
        return sequence.laneUuid(lane);
    }
}
