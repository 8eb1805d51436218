package dev.probestream.convert.timeline;

import dev.probestream.schema.FrameText;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;

/**
 * One frame of a stack. Viewers identify a frame by its label, module and offset, and take the file and line of the first
 * such frame for all. So a frame of JavaScript whose call is known has as its module the script, and as its offset the
 * place in the script: line << 32 | column. Its address identifies nothing: inlined functions share that of their caller,
 * and interpreted functions that of the interpreter.
 *
 * @param label what frames of the same function share: {@code handler (/app/server.js:40)}, {@code async load
 *     (/app/db.js:7)}, the demangled symbol, or where the frame is if no symbol covers it
 * @param text what a person reads in a single stack, with the line of the call: {@code handler (/app/server.js:42)}
 * @param module path of the object, "[kernel]", or "" for memory without a file
 * @param offset in the file of the module; for kernel frames and memory without a file, the address itself
 * @param file path or URL of the source, by the source map if there is one, "" = unknown
 * @param line of the call in that file, or where the function begins; from 1; 0 = unknown
 */
public record StackFrame(String label, String text, String module, long offset, FrameKind kind, String file, int line) {
    static StackFrame of(Frame frame) {
        boolean isCallKnown = frame.getKind() == FrameKind.JS && frame.getCallLine() != 0;
        boolean isMapped = !frame.getSourceFile().isEmpty();
        int line = isCallKnown ? frame.getCallLine() : frame.getLine();
        String function = FrameText.function(frame);
        String name = function.isEmpty() ? FrameText.address(frame) : function;
        return new StackFrame(
                in(FrameText.functionPlace(frame), name),
                in(FrameText.place(frame), name),
                isCallKnown ? frame.getFile() : frame.getModule(),
                isCallKnown ? (long) frame.getCallLine() << 32 | frame.getCallColumn() : frame.getOffset(),
                frame.getKind(),
                isMapped ? frame.getSourceFile() : frame.getFile(),
                isMapped ? frame.getSourceLine() : line);
    }

    private static String in(String place, String name) {
        return place.isEmpty() ? name : name + " (" + place + ")";
    }
}
