package dev.probestream.convert.parquet.row;

import dev.probestream.schema.record.Process;
import org.apache.parquet.schema.MessageType;

/** The table of the processes. */
public final class ProcessRows implements RowShape<Process> {
    /** Bits of wait(2)'s status: the signal that ended the process, 0 = none; above them whether it dumped core. */
    private static final int TERMINATING_SIGNAL = 0x7f;

    private static final int EXIT_CODE_SHIFT = 8;

    private final WallClock clock;

    public ProcessRows(WallClock clock) {
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
                .integer32("exit_code")
                .integer32("exit_signal")
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
        int signal = process.getWaitStatus() & TERMINATING_SIGNAL;
        boolean isKnown = process.getWaitStatus() != -1;
        row.integer32(isKnown && signal == 0, process.getWaitStatus() >> EXIT_CODE_SHIFT)
                .integer32(isKnown && signal != 0, signal);
    }
}
