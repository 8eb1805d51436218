package dev.probestream.collector.internal.stack;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The names are from the perf maps of Node 18.20.8, 20.20.2, 22.23.3 and 24.21.0. */
class JavaScriptNameTest {
    private static final long SEED = 20_261_121;

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            emptyValue = "",
            value = {
                // Node 18
                "LazyCompile:~hot /tmp/app/cjs.js:4 | hot | /tmp/app/cjs.js | 4",
                "LazyCompile:*hot /tmp/app/cjs.js:4 | hot | /tmp/app/cjs.js | 4",
                "Function:^tick /tmp/app/cjs.js:12 | tick | /tmp/app/cjs.js | 12",
                "Function:~ /tmp/app/cjs.js:1 | (anonymous) | /tmp/app/cjs.js | 1",
                "LazyCompile:~get ReadStream node:fs:3165 | get ReadStream | node:fs | 3165",
                "Function:~<instance_members_initializer> node:internal/fs/promises:127"
                        + " | <instance_members_initializer> | node:internal/fs/promises | 127",
                "Eval:~ :1 | (anonymous) | <anonymous> | 1",
                "Script:~ my file.vm:1 | (anonymous) | my file.vm | 1",
                // Node 20 and later
                "JS:^readConfig /app/node_modules/dep/index.js:3:41 | readConfig | /app/node_modules/dep/index.js | 3",
                "JS:*fib /tmp/hot.js:1:13 | fib | /tmp/hot.js | 1",
                "JS:~run file:///app/main.mjs:12:7 | run | file:///app/main.mjs | 12",
                "JS:~ /tmp/my app/x y.js:12:13 | (anonymous) | /tmp/my app/x y.js | 12",
                "JS:^GET /users /tmp/my app/x y.js:6:120 | GET /users | /tmp/my app/x y.js | 6",
                "JS:^#secret /tmp/my app/x y.js:6:25 | #secret | /tmp/my app/x y.js | 6",
                "JS:^get x /tmp/dep/index.js:6:110 | get x | /tmp/dep/index.js | 6",
                "JS:^get node:diagnostics_channel:54:6 | get | node:diagnostics_channel | 54",
                "JS:~invm evalmachine.<anonymous>:1:16 | invm | evalmachine.<anonymous> | 1",
                "JS:~probed [eval]:1:16 | probed | [eval] | 1",
                "JS:~inner :3:51 | inner | <anonymous> | 3",
                "Eval:~ :1:1 | (anonymous) | <anonymous> | 1",
                // Node 24: Maglev, and code made for one context
                "JS:+hot /tmp/app/cjs.js:4:13 | hot | /tmp/app/cjs.js | 4",
                "JS:+'hot /tmp/app/cjs.js:4:13 | hot | /tmp/app/cjs.js | 4",
                "JS:*'hot /tmp/app/cjs.js:4:13 | hot | /tmp/app/cjs.js | 4",
                // WebAssembly
                "JS:wasm-function[1]-1-liftoff | wasm-function[1]-1-liftoff | '' | 0",
                "Function:wasm-to-js::-0-turbofan | wasm-to-js::-0-turbofan | '' | 0",
            })
    void functionFileAndLineAreKeptApart(String name, String function, String file, int line) {
        Matcher place = Pattern.compile(":\\d+:(\\d+)$").matcher(name);
        int column = place.find() ? Integer.parseInt(place.group(1)) : 0;
        assertThat(JavaScriptName.parse(name)).contains(new JavaScriptName(function, file, line, column));
    }

    @ParameterizedTest
    @ValueSource(strings = {"RegExp:a(b+)c d:1:2", "RegExp.> src: 'a(b+)c' flags: ''"})
    void regularExpressionKeepsItsName(String name) {
        assertThat(JavaScriptName.parse(name)).contains(new JavaScriptName(name, "", 0, 0));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "Builtin:ArrayMap",
                "BytecodeHandler:LdaZero",
                "Ljava/lang/String;::hashCode",
                "JSFunction",
                "RegExpCapture1Getter",
                "",
                ":",
                "JS"
            })
    void codeOfV8ItselfAndOfOtherRuntimesIsNoJavaScript(String name) {
        assertThat(JavaScriptName.parse(name)).isEmpty();
    }

    @Test
    void nameWithoutAPlaceIsAllFunction() {
        assertThat(JavaScriptName.parse("JS:^cut off /app/ver"))
                .contains(new JavaScriptName("cut off /app/ver", "", 0, 0));
        assertThat(JavaScriptName.parse("JS:~f /a.js:1234567890:12345678901"))
                .contains(new JavaScriptName("f /a.js:1234567890:12345678901", "", 0, 0));
        assertThat(JavaScriptName.parse("JS:~")).contains(new JavaScriptName("(anonymous)", "", 0, 0));
        assertThat(JavaScriptName.parse("JS:~:1:2")).contains(new JavaScriptName("(anonymous)", "<anonymous>", 1, 2));
    }

    @Test
    void anyTextIsParsedWithoutComplaintAndNothingIsAdded() {
        String[] seeds = {
            "JS:^get x /tmp/my app/x.js:6:110", "LazyCompile:~ node:fs:1", "RegExp.> src: 'a' flags: ''", "Eval:~ :1:1"
        };
        String alphabet = " :/~^+*'0129ajJS\u00e4.-[]";
        Random random = new Random(SEED);
        for (int i = 0; i < 200_000; i++) {
            StringBuilder name = new StringBuilder(seeds[random.nextInt(seeds.length)]);
            for (int changes = random.nextInt(8); changes > 0; changes--) {
                int at = random.nextInt(name.length());
                switch (random.nextInt(3)) {
                    case 0 -> name.setCharAt(at, alphabet.charAt(random.nextInt(alphabet.length())));
                    case 1 -> name.insert(at, alphabet.charAt(random.nextInt(alphabet.length())));
                    default -> name.setLength(Math.max(1, at));
                }
            }
            String text = name.toString();
            JavaScriptName.parse(text).ifPresent(parsed -> {
                assertThat(parsed.line()).isNotNegative();
                assertThat(parsed.file().equals("<anonymous>") || text.contains(parsed.file()))
                        .isTrue();
                assertThat(parsed.function().equals(JavaScriptName.UNNAMED) || text.contains(parsed.function()))
                        .isTrue();
            });
        }
    }
}
