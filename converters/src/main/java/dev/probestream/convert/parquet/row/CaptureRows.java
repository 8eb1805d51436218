package dev.probestream.convert.parquet.row;

import dev.probestream.schema.record.Capture;
import dev.probestream.schema.record.CaptureEnd;
import org.apache.parquet.schema.MessageType;
import org.jspecify.annotations.Nullable;

/** The table of the captures, each with its end. */
public final class CaptureRows implements RowShape<CaptureRows.WholeCapture> {
    /** A capture as far as the recording describes it. */
    public record WholeCapture(
            long captureId,
            @Nullable Capture capture,
            @Nullable CaptureEnd end) {
        WallClock clock() {
            return capture == null ? WallClock.UNKNOWN : WallClock.of(capture);
        }
    }

    @Override
    public MessageType schema() {
        return new Columns()
                .required64("capture_id")
                .timestamp("ts")
                .integer64("mono_ns")
                .integer64("boottime_ns")
                .text("host")
                .text("boot_id")
                .text("kernel_name")
                .text("kernel_release")
                .text("kernel_version")
                .text("machine")
                .integer32("cpu_count")
                .text("tool_version")
                .texts("command")
                .timestamp("end_ts")
                .integer64("end_mono_ns")
                .text("end_reason")
                .integer64("delivered")
                .integer64("lost")
                .truth("is_complete")
                .named(ParquetTable.CAPTURES.folderName());
    }

    @Override
    public void write(WholeCapture whole, Row row) {
        row.integer64(whole.captureId());
        start(whole, row);
        CaptureEnd end = whole.end();
        if (end == null) {
            row.none().none().none().none().none();
        } else {
            whole.clock().moment(row, end.getMonotonicNs());
            row.text(end.getReason()).integer64(end.getDelivered()).integer64(end.getLost());
        }
        row.truth(end != null);
    }

    private static void start(WholeCapture whole, Row row) {
        Capture capture = whole.capture();
        if (capture == null) {
            for (int column = 0; column < 12; column++) {
                row.none();
            }
            return;
        }
        row.integer64(capture.getRealtimeNs())
                .integer64(capture.getMonotonicNs())
                .integer64(capture.getBoottimeNs())
                .text(capture.getHost())
                .text(capture.getBootId())
                .text(capture.getKernelName())
                .text(capture.getKernelRelease())
                .text(capture.getKernelVersion())
                .text(capture.getMachine())
                .integer32(capture.getCpuCount())
                .text(capture.getToolVersion())
                .texts(capture.getCommand());
    }
}
