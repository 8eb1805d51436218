package dev.probestream.cli.live;

import dev.probestream.schema.FrameText;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import dev.probestream.schema.record.Stack;
import org.jspecify.annotations.Nullable;

/**
 * Prints stacks, a frame on a line: function (file:line) as in {@link FrameText}, or symbol (module+offset) if the source
 * is not known. What is in no source and at no address, as {@code async Promise.all}, stands alone.
 */
public final class StackLines {
    private static final String INDENT = "        ";

    private StackLines() {}

    /**
     * The frames of one part of a stack, each behind an indent and before the end of its line.
     *
     * @param limit how many; 0 = all
     */
    public static void write(@Nullable Stack stack, boolean isKernel, long limit, LineBuffer out) {
        if (stack == null) {
            return;
        }
        long written = 0;
        for (Frame frame : stack.getFrames()) {
            if ((frame.getKind() == FrameKind.KERNEL) == isKernel && (limit == 0 || written < limit)) {
                out.text(INDENT);
                frame(frame, out);
                out.ascii('\n');
                written++;
            }
        }
    }

    private static void frame(Frame frame, LineBuffer out) {
        String function = FrameText.function(frame);
        String place = FrameText.place(frame);
        out.escaped(function.isEmpty() ? "[unknown]" : function);
        if (place.isEmpty() && frame.getIsAsync()) {
            return; // Promise.all: it is nowhere
        }
        out.text(" (");
        if (!place.isEmpty()) {
            out.escaped(place);
        } else {
            if (!frame.getModule().isEmpty()) {
                out.escaped(frame.getModule()).ascii('+');
            }
            out.text("0x").inBase(frame.getOffset(), 4, false);
        }
        out.ascii(')');
    }
}
