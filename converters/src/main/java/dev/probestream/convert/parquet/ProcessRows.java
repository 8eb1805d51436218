package dev.probestream.convert.parquet;

import dev.probestream.schema.record.Process;
import org.apache.parquet.schema.MessageType;

/** The table of the processes. */
final class ProcessRows implements RowShape<Process> {
    private final WallClock clock;

    ProcessRows(WallClock clock) {
        this.clock = clock;
    }

    @Override
    public MessageType schema() {
        return new Columns()
                .required64("capture_id")
                .required32("pid")
                .integer32("parent_pid")
                .integer32("uid")
                .text("name")
                .text("executable")
                .texts("command_line")
                .timestamp("start_ts")
                .integer64("start_mono_ns")
                .timestamp("end_ts")
                .integer64("end_mono_ns")
                .named(ParquetTable.PROCESSES.folderName());
    }

    @Override
    public void write(Process process, Row row) {
        row.integer64(process.getCaptureId())
                .integer32(process.getPid())
                .integer32(process.getParentPid())
                .integer32(process.getUid() != -1, process.getUid())
                .text(process.getName())
                .text(process.getExecutable())
                .texts(process.getCommandLine());
        clock.moment(row, process.getStartNs());
        clock.moment(row, process.getEndNs());
    }
}
