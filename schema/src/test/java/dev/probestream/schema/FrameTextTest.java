package dev.probestream.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import org.junit.jupiter.api.Test;

class FrameTextTest {
    private final Frame frame = Frames.of("load", "", 0x10, FrameKind.JS, "/app/a.js", 12);

    @Test
    void placeIsTheLineOfTheCallIfItIsKnown() {
        assertThat(FrameText.place(frame)).isEqualTo("/app/a.js:12");
        frame.setCallLine(14);
        assertThat(FrameText.place(frame)).isEqualTo("/app/a.js:14");
        assertThat(FrameText.functionPlace(frame)).isEqualTo("/app/a.js:12");
    }

    @Test
    void placeTellsTheSourceThatTheFileWasMadeFrom() {
        frame.setCallLine(14);
        frame.setSourceFile("/app/src/a.ts");
        frame.setSourceLine(33);

        assertThat(FrameText.place(frame)).isEqualTo("/app/a.js:14, source /app/src/a.ts:33");
    }

    @Test
    void asyncCallersAreMarked() {
        assertThat(FrameText.function(frame)).isEqualTo("load");
        frame.setIsAsync(true);
        assertThat(FrameText.function(frame)).isEqualTo("async load");
    }

    @Test
    void functionsWithoutANameAreAnonymousAndUnknownOnesAreNot() {
        assertThat(FrameText.function(Frames.of("", "", 0x10, FrameKind.JS, "/app/a.js", 12)))
                .isEqualTo("(anonymous)");
        assertThat(FrameText.function(Frames.of("", "", 0x10, FrameKind.JS, "", 1)))
                .isEqualTo("(anonymous)");
        assertThat(FrameText.function(Frames.of("", "", 0x10, FrameKind.JS))).isEmpty();
        assertThat(FrameText.function(Frames.of("", "/lib/a.so", 0x10, FrameKind.NATIVE)))
                .isEmpty();
    }

    @Test
    void aCopyIsEqual() {
        frame.setIsInlined(true);
        frame.setSourceFile("/app/src/a.ts");
        assertThat(Frames.copyOf(frame)).isEqualTo(frame).isNotSameAs(frame);
    }

    @Test
    void aSourceWithoutALineAndNoSource() {
        assertThat(FrameText.place(Frames.of("f", "", 1, FrameKind.JS, "node:fs", 0)))
                .isEqualTo("node:fs");
        assertThat(FrameText.place(Frames.of("f", "", 1, FrameKind.JS, "", 7))).isEmpty();
    }

    @Test
    void addressIsThatInTheFile() {
        assertThat(FrameText.address(Frames.of("", "/lib/libc.so.6", 0x2a1ca, FrameKind.NATIVE)))
                .isEqualTo("libc.so.6+0x2a1ca");
        assertThat(FrameText.address(Frames.of("", "", 0x7f00, FrameKind.NATIVE)))
                .isEqualTo("0x7f00");
    }
}
