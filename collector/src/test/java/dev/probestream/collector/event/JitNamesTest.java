package dev.probestream.collector.event;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.record.FrameKind;
import org.junit.jupiter.api.Test;

class JitNamesTest {
    @Test
    void whatV8CompiledFromJavaScriptIsJs() {
        for (String name : new String[] {
            "LazyCompile:*fib /tmp/hot.js:1", // Node 18
            "Function:^ /tmp/hot.js:1",
            "JS:*fib /tmp/hot.js:1:13", // Node 20 and later
            "JS:~ node:internal/main/run_main_module:1:1",
            "Script:~ /tmp/hot.js:1:1",
            "Eval:~ /tmp/hot.js:1:1",
            "RegExp:a(b+)c", // Node 18 to 22
            "RegExp.> src: 'a(b+)c' flags: ''" // Node 24
        }) {
            assertThat(JitNames.kindOf(name)).as(name).isEqualTo(FrameKind.JS);
        }
    }

    @Test
    void codeOfV8ItselfAndOfOtherRuntimesIsNative() {
        for (String name : new String[] {
            "Builtin:ArrayMap", "BytecodeHandler:LdaZero", "Ljava/lang/String;::hashCode", "JSFunction", "", ":", "JS"
        }) {
            assertThat(JitNames.kindOf(name)).as(name).isEqualTo(FrameKind.NATIVE);
        }
    }
}
