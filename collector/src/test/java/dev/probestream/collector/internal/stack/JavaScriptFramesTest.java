package dev.probestream.collector.internal.stack;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.Frames;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import java.util.List;
import org.junit.jupiter.api.Test;

class JavaScriptFramesTest {
    private static final String NODE = "/usr/bin/node";

    private static final Frame UV = nativeFrame("uv_fs_open");
    private static final Frame EXIT = nativeFrame("Builtins_CEntry_Return1_ArgvOnStack_BuiltinExit");
    private static final Frame INTERPRETED = nativeFrame("Builtins_InterpreterEntryTrampoline");
    private static final Frame OPEN = Frames.of("open", "", 0x7000L, FrameKind.JS, "node:fs", 539);
    private static final Frame CALL = nativeFrame("v8::Function::Call(v8::Local<v8::Context>)");

    private static Frame nativeFrame(String symbol) {
        return Frames.of(symbol, NODE, 0x1000L, FrameKind.NATIVE);
    }

    private static Frame generated(long address) {
        return Frames.of("", "", address, FrameKind.JS);
    }

    private static List<String> symbols(Frame... frames) {
        return JavaScriptFrames.shown(List.of(frames)).stream()
                .map(Frame::getSymbol)
                .toList();
    }

    @Test
    void entriesAndExitsOfV8AreLeftOut() {
        List<Frame> shown = JavaScriptFrames.shown(List.of(
                UV,
                EXIT,
                OPEN,
                nativeFrame("Builtins_JSEntryTrampoline"),
                nativeFrame("Builtins_JSEntry"),
                CALL,
                nativeFrame("Builtins_CallApiCallbackGeneric"),
                nativeFrame("BytecodeHandler:LdaZero"),
                nativeFrame("Builtins_LdaNamedPropertyHandler"),
                nativeFrame("Builtins_LoadIC")));

        assertThat(shown).containsExactly(UV, OPEN, CALL);
    }

    @Test
    void anonymousFunctionOfAKnownPlaceIsNoFrameWithoutAName() {
        Frame anonymous = Frames.of("", "", 0x7000L, FrameKind.JS, "/app/a.js", 3);
        assertThat(JavaScriptFrames.shown(List.of(UV, EXIT, anonymous, INTERPRETED)))
                .contains(anonymous)
                .extracting(Frame::getSymbol)
                .containsExactly("uv_fs_open", "", "JavaScript (interpreted)");
    }

    @Test
    void functionsOfTheLanguageStayUnderV8sName() {
        assertThat(symbols(
                        OPEN,
                        nativeFrame("Builtins_ArrayForEach"),
                        nativeFrame("Builtin:PromisePrototypeThen"),
                        nativeFrame("Builtins_AsyncFunctionAwaitResolveClosure"),
                        nativeFrame("Builtins_RunMicrotasks"),
                        nativeFrame("Builtins_JSRunMicrotasksEntry"),
                        nativeFrame("Builtins_SetProperty")))
                .containsExactly(
                        "open",
                        "ArrayForEach",
                        "PromisePrototypeThen",
                        "AsyncFunctionAwaitResolveClosure",
                        "RunMicrotasks");
    }

    @Test
    void interpretedFunctionIsJavaScriptWithoutAName() {
        List<Frame> shown = JavaScriptFrames.shown(List.of(UV, INTERPRETED, OPEN));

        assertThat(shown).containsExactly(UV, Frames.of("JavaScript (interpreted)", NODE, 0x1000L, FrameKind.JS), OPEN);
    }

    @Test
    void namelessFramesSideBySideAreCounted() {
        assertThat(symbols(UV, INTERPRETED, EXIT, INTERPRETED, OPEN))
                .containsExactly("uv_fs_open", "JavaScript (interpreted), 2 frames", "open");
        assertThat(symbols(UV, EXIT, generated(1), generated(2), generated(3), CALL))
                .containsExactly("uv_fs_open", "JavaScript (compiled), 3 frames", CALL.getSymbol());
        assertThat(symbols(
                        EXIT, generated(1), INTERPRETED, generated(3), nativeFrame("Builtins_ArrayMap"), generated(4)))
                .containsExactly("JavaScript, 3 frames", "ArrayMap", "JavaScript (compiled)");
    }

    @Test
    void countedFramesHaveThePlaceOfTheInnermost() {
        assertThat(JavaScriptFrames.shown(List.of(EXIT, generated(0x7001), INTERPRETED)))
                .containsExactly(Frames.of("JavaScript, 2 frames", "", 0x7001L, FrameKind.JS));
    }

    @Test
    void stackOfAnotherRuntimeStaysAsItIs() {
        List<Frame> shown = JavaScriptFrames.shown(List.of(UV, generated(0x7001), nativeFrame("JavaCalls::call")));

        assertThat(shown)
                .containsExactly(UV, Frames.of("", "", 0x7001L, FrameKind.NATIVE), nativeFrame("JavaCalls::call"));
    }

    @Test
    void stackThatIsNothingButV8sOwnCodeStaysAsItIs() {
        assertThat(JavaScriptFrames.shown(List.of(EXIT))).containsExactly(EXIT);
        assertThat(JavaScriptFrames.shown(List.of())).isEmpty();
    }
}
