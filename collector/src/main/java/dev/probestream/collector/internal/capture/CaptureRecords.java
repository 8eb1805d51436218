package dev.probestream.collector.internal.capture;

import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.bpf.machine.PossibleCpus;
import dev.probestream.bpf.machine.SystemName;
import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import dev.probestream.schema.record.Clock;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Publishes the records that describe the capture itself: where and when it was taken, its clocks, and how it ended. */
final class CaptureRecords {
    private static final Path BOOT_ID = Path.of("/proc/sys/kernel/random/boot_id");

    private final long captureId;
    private final EventPublisher publisher;

    CaptureRecords(long captureId, EventPublisher publisher) {
        this.captureId = captureId;
        this.publisher = publisher;
    }

    void begin(ClockReading clocks, List<String> commandLine, String toolVersion) {
        SystemName name = SystemName.read();
        publisher.publish(Capture.newBuilder()
                .setCaptureId(captureId)
                .setHost(name.node())
                .setBootId(bootId())
                .setKernelName(name.sysname())
                .setKernelRelease(name.release())
                .setKernelVersion(name.version())
                .setMachine(name.machine())
                .setCpuCount(PossibleCpus.ofThisMachine().ids().size())
                .setToolVersion(toolVersion)
                .setCommand(commandLine)
                .setMonotonicNs(clocks.monotonicNs())
                .setRealtimeNs(clocks.realtimeNs())
                .setBoottimeNs(clocks.bootTimeNs())
                .build());
    }

    void clocks(ClockReading clocks) {
        publisher.publish(Clock.newBuilder()
                .setCaptureId(captureId)
                .setMonotonicNs(clocks.monotonicNs())
                .setRealtimeNs(clocks.realtimeNs())
                .setBoottimeNs(clocks.bootTimeNs())
                .build());
    }

    void end(long endNs, String reason, long deliveredEvents, long lostEvents) {
        publisher.publish(CaptureEnd.newBuilder()
                .setCaptureId(captureId)
                .setMonotonicNs(endNs)
                .setReason(reason)
                .setDelivered(deliveredEvents)
                .setLost(lostEvents)
                .build());
    }

    /** The reason, and in a line each what the recording does not show: a later reader has not seen the terminal. */
    @SafeVarargs
    static String withLines(String reason, List<String>... more) {
        List<String> lines = new ArrayList<>(List.of(reason));
        for (List<String> some : more) {
            lines.addAll(some);
        }
        return String.join("\n", lines);
    }

    private static String bootId() {
        try {
            return Files.readString(BOOT_ID).strip();
        } catch (IOException e) {
            throw new UncheckedIOException("read the id of this boot from " + BOOT_ID, e);
        }
    }
}
