package dev.probestream.query;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import dev.probestream.schema.recording.RecordingException;
import dev.probestream.schema.recording.RecordingWriter;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/** A small .avro recording: capture 7, which began at CLOCK_MONOTONIC 1 s, of one span every 10 ms. */
final class AvroRecording {
    static final long START_NS = 1_000_000_000L;
    static final long START_UNIX_NS = 1_700_000_000_000_000_000L;
    static final long STEP_NS = 10_000_000L;

    private AvroRecording() {}

    static Path write(Path file, int spans) throws RecordingException {
        try (RecordingWriter writer = RecordingWriter.create(file)) {
            writer.append(Capture.newBuilder()
                    .setCaptureId(7)
                    .setHost("host-a")
                    .setBootId("boot-a")
                    .setKernelName("Linux")
                    .setKernelRelease("6.18.0")
                    .setKernelVersion("#1 SMP")
                    .setMachine("x86_64")
                    .setCpuCount(2)
                    .setToolVersion("0.1.0")
                    .setCommand(List.of("probestream", "record"))
                    .setMonotonicNs(START_NS)
                    .setRealtimeNs(START_UNIX_NS)
                    .setBoottimeNs(START_NS)
                    .build());
            writer.append(Probe.newBuilder()
                    .setCaptureId(7)
                    .setProbeId(1)
                    .setSpec("span:node:uv_fs_open")
                    .setName("uv_fs_open")
                    .setCategory("node-fs")
                    .setKind(EventKind.SPAN)
                    .setModule("node")
                    .setArguments(List.of(new Argument("path", "str", "", FlowStep.NONE, Map.of())))
                    .setReturnType("s32")
                    .setReturnUnit("errno")
                    .build());
            EventEncoder encoder = new EventEncoder();
            for (int i = 0; i < spans; i++) {
                encoder.begin(7, i, START_NS + i * STEP_NS, STEP_NS / 2, 100, 100, 0, 1, EventKind.SPAN);
                encoder.beginNumbers(0);
                encoder.beginStrings(1);
                encoder.string("/file-" + i);
                encoder.end(i % 3 == 0 ? -2 : 21, 0, 0);
                writer.append(encoder);
            }
        }
        return file;
    }
}
