package dev.probestream.convert.perfetto;

import dev.probestream.convert.timeline.CaptureTracks;
import dev.probestream.convert.timeline.ProcessTrack;
import dev.probestream.convert.timeline.ThreadTrack;
import dev.probestream.convert.timeline.Timeline;
import dev.probestream.schema.perfetto.BuiltinClock;
import dev.probestream.schema.perfetto.ProcessDescriptor;
import dev.probestream.schema.perfetto.ProcessTree;
import dev.probestream.schema.perfetto.SystemInfo;
import dev.probestream.schema.perfetto.ThreadDescriptor;
import dev.probestream.schema.perfetto.TracePacket;
import dev.probestream.schema.perfetto.TracePacketDefaults;
import dev.probestream.schema.perfetto.TraceStats;
import dev.probestream.schema.perfetto.TrackDescriptor;
import dev.probestream.schema.perfetto.TrackEventDefaults;
import dev.probestream.schema.perfetto.Utsname;
import dev.probestream.schema.record.Capture;
import java.io.IOException;

/** The sequence of everything but events: clocks, the machine, who ran, which tracks there are. */
final class MetadataSequence {
    private static final int ID = 1;

    private final PacketStream packets;

    MetadataSequence(PacketStream packets) {
        this.packets = packets;
    }

    /** Must come first: without a snapshot no time of CLOCK_MONOTONIC can be read. */
    void open(Timeline timeline) throws IOException {
        TracePacket.Builder packet = TracePacket.newBuilder()
                .setTrustedPacketSequenceId(ID)
                .setSequenceFlags(TracePacket.SequenceFlags.SEQ_INCREMENTAL_STATE_CLEARED_VALUE)
                .setFirstPacketOnSequence(true)
                .setTracePacketDefaults(TracePacketDefaults.newBuilder().setTimestampClockId(Clocks.MONOTONIC));
        long startNs = timeline.startNs();
        long boottimeNs = startNs;
        long realtimeNs = startNs;
        if (!timeline.captures().isEmpty()) {
            CaptureTracks first = timeline.captures().get(0);
            boottimeNs = startNs + first.boottimeOffsetNs(startNs);
            realtimeNs =
                    first.capture().getRealtimeNs() + startNs - first.capture().getMonotonicNs();
        }
        packet.setClockSnapshot(Clocks.snapshot(startNs, boottimeNs, realtimeNs)
                .setPrimaryTraceClock(BuiltinClock.BUILTIN_CLOCK_MONOTONIC));
        packets.write(packet.build());
    }

    void clocks(long monotonicNs, long boottimeNs, long realtimeNs) throws IOException {
        packets.write(at(monotonicNs)
                .setClockSnapshot(Clocks.snapshot(monotonicNs, boottimeNs, realtimeNs))
                .build());
    }

    /** Without the kernel's release a viewer misreads the states of threads. */
    void machine(Timeline timeline) throws IOException {
        if (timeline.captures().isEmpty()) {
            return;
        }
        Capture capture = timeline.captures().get(0).capture();
        SystemInfo.Builder info = SystemInfo.newBuilder()
                .setUtsname(Utsname.newBuilder()
                        .setSysname(capture.getKernelName())
                        .setVersion(capture.getKernelVersion())
                        .setRelease(capture.getKernelRelease())
                        .setMachine(capture.getMachine()));
        if (capture.getCpuCount() > 0) {
            info.setNumCpus(capture.getCpuCount());
        }
        packets.write(at(timeline.startNs()).setSystemInfo(info).build());
    }

    /** The only place from which a viewer takes command lines and, for context switches, the process of a thread. */
    void processTree(CaptureTracks capture, long startNs) throws IOException {
        if (!capture.isFirstMachine()) {
            return; // the tree is one machine's
        }
        for (ProcessTrack process : capture.processes()) {
            ProcessTree.Process.Builder entry = ProcessTree.Process.newBuilder().setPid(process.pid());
            if (process.parentPid() >= 0) {
                entry.setPpid(process.parentPid());
            }
            if (process.uid() >= 0) {
                entry.setUid(process.uid());
            }
            if (process.commandLine().isEmpty()) {
                entry.addCmdline(process.name());
            } else {
                entry.addAllCmdline(process.commandLine());
            }
            ProcessTree.Builder tree = ProcessTree.newBuilder().addProcesses(entry);
            for (ThreadTrack thread : process.threads()) {
                tree.addThreads(ProcessTree.Thread.newBuilder()
                        .setTid(thread.tid())
                        .setName(thread.name())
                        .setTgid(process.pid()));
            }
            packets.write(at(Math.max(startNs, process.startNs()))
                    .setProcessTree(tree)
                    .build());
        }
    }

    void process(ProcessTrack process, long uuid, long startNs) throws IOException {
        ProcessDescriptor.Builder descriptor =
                ProcessDescriptor.newBuilder().setPid(process.pid()).setProcessName(process.name());
        if (process.startNs() > 0) {
            descriptor.setStartTimestampNs(process.startNs());
        }
        write(
                TrackDescriptor.newBuilder()
                        .setUuid(uuid)
                        .setName(process.name())
                        .setProcess(descriptor),
                Math.max(startNs, process.startNs()));
    }

    void thread(ThreadTrack thread, long uuid, long processUuid, long startNs) throws IOException {
        write(
                TrackDescriptor.newBuilder()
                        .setUuid(uuid)
                        .setParentUuid(processUuid)
                        .setName(thread.name())
                        .setThread(ThreadDescriptor.newBuilder()
                                .setPid(thread.process().pid())
                                .setTid(thread.tid())
                                .setThreadName(thread.name())),
                Math.max(startNs, thread.startNs()));
    }

    /** Opens the sequence on which the thread's events come. */
    void openSequence(ThreadSequence sequence, long startNs) throws IOException {
        packets.write(TracePacket.newBuilder()
                .setTrustedPacketSequenceId(sequence.id())
                .setSequenceFlags(TracePacket.SequenceFlags.SEQ_INCREMENTAL_STATE_CLEARED_VALUE)
                .setFirstPacketOnSequence(true)
                .setClockSnapshot(Clocks.startOfSequence(startNs))
                .setTracePacketDefaults(TracePacketDefaults.newBuilder()
                        .setTimestampClockId(Clocks.INCREMENTAL)
                        .setTrackEventDefaults(TrackEventDefaults.newBuilder().setTrackUuid(sequence.trackUuid())))
                .build());
    }

    /** A track of our own. */
    void write(TrackDescriptor.Builder track, long timestampNs) throws IOException {
        packets.write(at(timestampNs).setTrackDescriptor(track).build());
    }

    /** What the viewer's own list of data losses reads. */
    void lossTotal(long lost, long timestampNs) throws IOException {
        packets.write(at(timestampNs)
                .setTraceStats(TraceStats.newBuilder()
                        .addBufferStats(TraceStats.BufferStats.newBuilder().setTraceWriterPacketLoss(lost)))
                .build());
    }

    private static TracePacket.Builder at(long timestampNs) {
        return TracePacket.newBuilder()
                .setTimestamp(timestampNs)
                .setTrustedPacketSequenceId(ID)
                .setSequenceFlags(TracePacket.SequenceFlags.SEQ_NEEDS_INCREMENTAL_STATE_VALUE);
    }
}
