package dev.probestream.cli.live;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.Frames;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import dev.probestream.schema.record.Stack;
import java.util.List;
import org.junit.jupiter.api.Test;

class StackLinesTest {
    @Test
    void frameWithoutSourceStandsAtItsAddressAndAnAsyncOneAlone() {
        Frame awaiting = Frames.of("load", "", 0, FrameKind.JS, "/app/a.js", 12);
        awaiting.setIsAsync(true);
        Frame combination = Frames.of("Promise.all", "", 0, FrameKind.JS);
        combination.setIsAsync(true);
        Stack stack = new Stack(
                1L,
                2L,
                List.of(
                        Frames.of("write", "/lib/libc.so.6", 0x2a, FrameKind.NATIVE),
                        Frames.of("", "", 0x7f00, FrameKind.JS),
                        combination,
                        awaiting));
        LineBuffer out = new LineBuffer();
        StackLines.write(stack, false, 0, out);
        assertThat(new String(out.bytes(), 0, out.length(), UTF_8)).isEqualTo("""
                                write (/lib/libc.so.6+0x2a)
                                [unknown] (0x7f00)
                                async Promise.all
                                async load (/app/a.js:12)
                        """);
    }
}
