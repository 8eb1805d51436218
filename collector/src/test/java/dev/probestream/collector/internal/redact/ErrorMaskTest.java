package dev.probestream.collector.internal.redact;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Random;
import org.junit.jupiter.api.Test;

class ErrorMaskTest {
    private static final int FUZZ_ROUNDS = 30_000;

    private static final String FRAMES = "    at token (/srv/token.js:10:11)\n    at node:internal/timers:5:7\n";

    private static String masked(String text) {
        byte[] bytes = text.getBytes(UTF_8);
        ByteBuffer out = ByteBuffer.allocate(TextRules.capacityFor(bytes.length));
        new ErrorMask(out).copy(ByteBuffer.wrap(bytes), 0, bytes.length);
        return new String(out.array(), 0, out.position(), UTF_8);
    }

    @Test
    void placeMessageAndStackAreKept() {
        assertThat(masked("/srv/app.js:10\n    throw new Error('x' + secret);\n    ^\n\nTokenError: no x\n" + FRAMES))
                .isEqualTo("/srv/app.js:10\n\nTokenError: no x\n" + FRAMES);
    }

    @Test
    void ownPropertiesAreLeftOut() {
        assertThat(masked("Error: no\n    at f (/a.js:1:2) {\n  code: 'E',\n  config: { header: 'SECRET' }\n}\n"))
                .isEqualTo("Error: no\n    at f (/a.js:1:2) ***");
        assertThat(masked("[Error: no] {\n  code: 'SECRET'\n}\n")).isEqualTo("[Error: no] ***");
        assertThat(masked("Login {\n  name: 'SECRET',\n  e: Error: no\n      at f (/a.js:1:2)\n}\n"))
                .isEqualTo("Login ***");
    }

    @Test
    void codeOfAnErrorIsKept() {
        String error = "Error: no\n    at f (/a.js:1:2) {\n  errno: -111,\n";
        assertThat(masked(error + "  code: 'ECONNREFUSED',\n  path: 'SECRET'\n}\n"))
                .isEqualTo("Error: no\n    at f (/a.js:1:2) ***\n  code: 'ECONNREFUSED'");
        assertThat(masked(error + "  code: 'ERR_HTTP2_ERROR'\n}\n")).endsWith("***\n  code: 'ERR_HTTP2_ERROR'");
    }

    @Test
    void codeThatMayBeASecretIsLeftOut() {
        for (String property : new String[] {
            "code: 'SECRET'",
            "code: 'ESECRET",
            "code: 'E1S2E3'",
            "code: 'E secret'",
            "  code: 'ESECRET'",
            "xcode: 'ESECRET'"
        }) {
            assertThat(masked("Error: no\n    at f (/a.js:1:2) {\n  " + property + "\n}\n"))
                    .as(property)
                    .isEqualTo("Error: no\n    at f (/a.js:1:2) ***");
        }
    }

    @Test
    void secretsInMessagesAreMasked() {
        assertThat(masked("Error: connect postgres://ann:SECRET@h/db?x=SECRET password=SECRET\n" + FRAMES))
                .isEqualTo("Error: connect postgres://***@h/db?x=*** password=***\n" + FRAMES);
        assertThat(masked("{ password: 'SECRET', a: 1 }\n")).doesNotContain("SECRET");
        assertThat(masked("    at f (file:///srv/a.mjs?key=SECRET:1:2)\n")).doesNotContain("SECRET");
    }

    @Test
    void messageOfManyLinesKeepsItsStack() {
        assertThat(masked("Error: unexpected {\n  in line 2 {\n" + FRAMES))
                .isEqualTo("Error: unexpected {\n  in line 2 {\n" + FRAMES);
    }

    /** The line of source may be so long that the text is cut in it. */
    @Test
    void placeIsKeptWithoutTheRest() {
        assertThat(masked("/srv/bundle.js:1\nvar a='SECRET';".repeat(1))).isEqualTo("/srv/bundle.js:1\n");
    }

    @Test
    void everyTextIsCopiedWithinItsRoom() {
        Random random = new Random(5);
        String[] parts = {
            "/a.js:1\n",
            "  code: '",
            "EAB'",
            "^",
            "\n",
            " ",
            "    at ",
            "{",
            "[",
            "Error: ",
            "password=",
            "x",
            "://",
            "?",
            "'"
        };
        for (int round = 0; round < FUZZ_ROUNDS; round++) {
            StringBuilder text = new StringBuilder();
            for (int i = random.nextInt(20); i > 0; i--) {
                text.append(parts[random.nextInt(parts.length)]);
            }
            masked(text.toString());
        }
    }
}
