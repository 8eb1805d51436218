package dev.probestream.collector.internal.stack;

import dev.probestream.schema.FrameText;
import dev.probestream.schema.Frames;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Selects the frames to show of a user stack that contains frames of V8. Stacks without V8 are unchanged.
 *
 * <ul>
 *   <li>Named JavaScript and native functions are kept.
 * <li>Of V8's builtins ({@code Builtins_X} in Node's executable, {@code Builtin:X} and {@code BytecodeHandler:X} in a
 *     perf map), the functions of the language are kept, without the prefix ({@code ArrayForEach}): those whose name
 *     begins with that of a global object, and {@code RunMicrotasks}. Entries, exits, adaptors, inline caches and the
 *     interpreter's handlers are removed.
 * <li>All interpreted functions run in {@code InterpreterEntryTrampoline}: such a frame is a JavaScript frame without a
 *     name, as is generated code that no perf map names. Adjacent frames of this kind are merged into one with a count:
 *     {@code JavaScript (interpreted)}, {@code JavaScript (compiled), 2 frames}, {@code JavaScript, 5 frames} for a
 *     mixture. It has the address of the innermost frame.
 * </ul>
 */
final class JavaScriptFrames {
    private static final List<String> BUILTIN_PREFIXES = List.of("Builtins_", "Builtin:", "BytecodeHandler:");

    /** Node 22 and later also have ...ForProfiling, of which each function has its own named copy. */
    private static final String INTERPRETER = "InterpreterEntryTrampoline";

    /** Prefixes of the builtins that are functions of the language (src/builtins of V8). */
    private static final List<String> LANGUAGE = List.of(
            "Array",
            "AsyncFunction",
            "AsyncGenerator",
            "Date",
            "FunctionPrototype",
            "GeneratorPrototype",
            "IteratorPrototype",
            "Json",
            "MapPrototype",
            "Object",
            "Promise",
            "Proxy",
            "Reflect",
            "RegExp",
            "RunMicrotasks",
            "SetPrototype",
            "StringPrototype",
            "TypedArray");

    private final List<Frame> shown = new ArrayList<>();
    /** The current run of nameless JavaScript frames: the innermost, the count, and the count of interpreted ones. */
    private @Nullable Frame nameless;

    private int namelessCount;
    private int interpretedCount;

    private JavaScriptFrames() {}

    /**
     * @param frames leaf first; generated code without a name has the kind JS and the symbol ""
     * @return the frames to show; the input if none would remain
     */
    static List<Frame> shown(List<Frame> frames) {
        if (frames.stream().noneMatch(JavaScriptFrames::isOfV8)) {
            return frames.stream().map(JavaScriptFrames::ofAnotherRuntime).toList();
        }
        JavaScriptFrames folded = new JavaScriptFrames();
        frames.forEach(folded::add);
        folded.endNameless();
        return folded.shown.isEmpty() ? frames : List.copyOf(folded.shown);
    }

    private void add(Frame frame) {
        String builtin = builtin(frame.getSymbol());
        if (builtin.startsWith(INTERPRETER)) {
            addNameless(frame, 1);
        } else if (isNameless(frame)) {
            addNameless(frame, 0);
        } else if (builtin.isEmpty()) {
            addNamed(frame);
        } else if (isOfTheLanguage(builtin)) {
            addNamed(Frames.of(builtin, frame.getModule(), frame.getOffset(), FrameKind.NATIVE));
        }
    }

    private void addNamed(Frame frame) {
        endNameless();
        shown.add(frame);
    }

    private void addNameless(Frame frame, int interpreted) {
        nameless = nameless == null ? frame : nameless;
        namelessCount++;
        interpretedCount += interpreted;
    }

    private void endNameless() {
        if (nameless != null) {
            shown.add(Frames.of(namelessSymbol(), nameless.getModule(), nameless.getOffset(), FrameKind.JS));
        }
        nameless = null;
        namelessCount = 0;
        interpretedCount = 0;
    }

    private String namelessSymbol() {
        String how = "";
        if (interpretedCount == 0) {
            how = " (compiled)";
        } else if (interpretedCount == namelessCount) {
            how = " (interpreted)";
        }
        return "JavaScript" + how + (namelessCount == 1 ? "" : ", " + namelessCount + " frames");
    }

    private static boolean isOfV8(Frame frame) {
        return !builtin(frame.getSymbol()).isEmpty() || (frame.getKind() == FrameKind.JS && !isNameless(frame));
    }

    private static boolean isNameless(Frame frame) {
        return frame.getKind() == FrameKind.JS && frame.getSymbol().isEmpty() && !FrameText.isAnonymous(frame);
    }

    private static Frame ofAnotherRuntime(Frame frame) {
        return isNameless(frame) ? Frames.of("", frame.getModule(), frame.getOffset(), FrameKind.NATIVE) : frame;
    }

    /** The name of a V8 builtin without its prefix; "" for other code. */
    private static String builtin(String symbol) {
        for (String prefix : BUILTIN_PREFIXES) {
            if (symbol.startsWith(prefix)) {
                return symbol.substring(prefix.length());
            }
        }
        return "";
    }

    private static boolean isOfTheLanguage(String builtin) {
        return !builtin.endsWith("Trampoline") && LANGUAGE.stream().anyMatch(builtin::startsWith);
    }
}
