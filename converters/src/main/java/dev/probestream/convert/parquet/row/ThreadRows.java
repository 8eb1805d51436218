package dev.probestream.convert.parquet.row;

import dev.probestream.schema.record.Thread;
import org.apache.parquet.schema.MessageType;

/** The table of the threads. */
public final class ThreadRows implements RowShape<Thread> {
    private final WallClock clock;

    public ThreadRows(WallClock clock) {
        this.clock = clock;
    }

    @Override
    public MessageType schema() {
        return new Columns()
                .required64("capture_id")
                .required32("pid")
                .required32("tid")
                .text("name")
                .timestamp("start_ts")
                .integer64("start_mono_ns")
                .timestamp("end_ts")
                .integer64("end_mono_ns")
                .named(ParquetTable.THREADS.folderName());
    }

    @Override
    public void write(Thread thread, Row row) {
        row.integer64(thread.getCaptureId())
                .integer32(thread.getPid())
                .integer32(thread.getTid())
                .text(thread.getName());
        clock.moment(row, thread.getStartNs());
        clock.moment(row, thread.getEndNs());
    }
}
