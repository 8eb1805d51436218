package dev.probestream.convert.timeline;

import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;

/**
 * One frame of a stack.
 *
 * @param label what a person reads: the demangled symbol, or where the frame is if no symbol covers it
 * @param module path of the object, "[kernel]", or "" for memory without a file
 * @param offset in the file of the module; for kernel frames and memory without a file, the address itself
 * @param file path or URL of the source, "" = unknown
 * @param line in that file, from 1; 0 = unknown
 */
public record StackFrame(String label, String module, long offset, FrameKind kind, String file, int line) {
    static StackFrame of(Frame frame) {
        String module = frame.getModule();
        String label = frame.getSymbol().isEmpty() ? place(module, frame.getOffset()) : frame.getSymbol();
        return new StackFrame(label, module, frame.getOffset(), frame.getKind(), frame.getFile(), frame.getLine());
    }

    /** The label on one line with the place in the source, if that is known: {@code handler (/app/server.js:42)}. */
    public String labelWithSource() {
        if (file.isEmpty()) {
            return label;
        }
        return label + " (" + file + (line == 0 ? "" : ":" + line) + ")";
    }

    private static String place(String module, long offset) {
        String file = module.substring(module.lastIndexOf('/') + 1);
        String hex = "0x" + Long.toHexString(offset);
        return file.isEmpty() ? hex : file + "+" + hex;
    }
}
