package dev.probestream.collector.histogram;

import dev.probestream.schema.FrameText;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A function in a stack that hits are counted by. Two frames are the same function whatever their addresses in it are.
 *
 * @param name as {@link FrameText#function}; without a symbol the file of the module in brackets
 * @param kind whose it is
 * @param file the source; "" = unknown
 * @param line where the function begins in the source; 0 = unknown
 * @param column where the function begins in that line; 0 = unknown
 */
public record StackFunction(String name, FrameKind kind, String file, int line, int column) {
    private static final Pattern SYSTEM_LIBRARY = Pattern.compile(
            "(/usr(/local)?)?/lib(32|64|x32)?/.*\\.so([.0-9]*)|.*/ld-(linux|musl)[^/]*|\\[.*\\]|linux-vdso.*");

    private static final String NODE = "node:";

    /**
     * {@return the function of a frame}
     *
     * @param frame of a recorded stack
     */
    public static StackFunction of(Frame frame) {
        String module = frame.getModule();
        String function = FrameText.function(frame);
        String unnamed = "[" + (module.isEmpty() ? "unknown" : module.substring(module.lastIndexOf('/') + 1)) + "]";
        return new StackFunction(
                function.isEmpty() ? unnamed : function,
                frame.getKind(),
                frame.getFile(),
                frame.getLine(),
                frame.getColumn());
    }

    /**
     * {@return the innermost function of the application in a stack; empty if the stack has no frame in user space}
     *
     * <p>Of a stack with JavaScript it is the innermost JavaScript function that is not Node's own ({@code node:}). Of other
     * stacks, and where there is only Node's own, it is the innermost function outside of system libraries: of files that
     * are not shared objects below /lib and /usr/lib. Where there is none of these either, it is the innermost function.
     *
     * @param frames the innermost first
     */
    public static Optional<StackFunction> ofApplication(List<Frame> frames) {
        List<Frame> user = frames.stream()
                .filter(frame -> frame.getKind() != FrameKind.KERNEL)
                .toList();
        return user.stream()
                .filter(StackFunction::isOwnJavaScript)
                .findFirst()
                .or(() -> user.stream()
                        .filter(frame -> frame.getKind() == FrameKind.NATIVE)
                        .filter(frame -> !isOfSystem(frame.getModule()))
                        .findFirst())
                .or(() -> user.stream().findFirst())
                .map(StackFunction::of);
    }

    /** {@return the name, with the source behind it where it is known: {@code f (/srv/app.js:12)}} */
    public String text() {
        if (file.isEmpty()) {
            return name;
        }
        return name + " (" + file + (line > 0 ? ":" + line : "") + ")";
    }

    private static boolean isOwnJavaScript(Frame frame) {
        return frame.getKind() == FrameKind.JS && !frame.getFile().startsWith(NODE);
    }

    private static boolean isOfSystem(String module) {
        return module.isEmpty() || SYSTEM_LIBRARY.matcher(module).matches();
    }
}
