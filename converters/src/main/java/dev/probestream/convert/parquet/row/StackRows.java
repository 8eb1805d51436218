package dev.probestream.convert.parquet.row;

import dev.probestream.schema.FrameText;
import dev.probestream.schema.record.Frame;
import org.apache.parquet.schema.MessageType;

/** The table of the stacks: a row is a frame, depth 0 is the leaf. */
public final class StackRows implements RowShape<StackRows.FrameOfStack> {
    /** A frame and where it stands. */
    public record FrameOfStack(long captureId, long stackId, int depth, Frame frame) {}

    @Override
    public MessageType schema() {
        return new Columns()
                .required64("capture_id")
                .required64("stack_id")
                .required32("depth")
                .text("symbol")
                .text("module")
                .integer64("offset")
                .text("kind")
                .text("file")
                .integer32("line")
                .integer32("col")
                .integer32("call_line")
                .integer32("call_col")
                .truth("is_inlined")
                .truth("is_async")
                .text("source_file")
                .integer32("source_line")
                .named(ParquetTable.STACKS.folderName());
    }

    @Override
    public void write(FrameOfStack of, Row row) {
        Frame frame = of.frame();
        row.integer64(of.captureId()).integer64(of.stackId()).integer32(of.depth());
        textOrNone(FrameText.symbol(frame), row);
        textOrNone(frame.getModule(), row);
        row.integer64(frame.getOffset()).text(frame.getKind().name());
        textOrNone(frame.getFile(), row);
        numberOrNone(frame.getLine(), row);
        numberOrNone(frame.getColumn(), row);
        numberOrNone(frame.getCallLine(), row);
        numberOrNone(frame.getCallColumn(), row);
        row.truth(frame.getIsInlined()).truth(frame.getIsAsync());
        textOrNone(frame.getSourceFile(), row);
        numberOrNone(frame.getSourceLine(), row);
    }

    private static void numberOrNone(int number, Row row) {
        row.integer32(number != 0, number);
    }

    private static void textOrNone(String text, Row row) {
        if (text.isEmpty()) {
            row.none();
        } else {
            row.text(text);
        }
    }
}
