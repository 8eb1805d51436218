package dev.probestream.collector.internal.v8;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.internal.program.layout.JavaScriptRoom;
import org.junit.jupiter.api.Test;

class UnnamedFramesTest {
    @Test
    void framesAndStacksThatMissSomethingAreTold() {
        UnnamedFrames frames = new UnnamedFrames();
        assertThat(frames.warnings()).isEmpty();
        frames.addNamed(7);
        frames.add(UnnamedReason.MOVED, 3);
        frames.addStack(0);
        frames.addStack(JavaScriptRoom.UNREADABLE);
        frames.addStack(JavaScriptRoom.CUT);
        frames.addStack(JavaScriptRoom.ASYNC_CUT);
        frames.addStack(JavaScriptRoom.ASYNC_CUT);
        assertThat(frames.warnings())
                .containsExactly(
                        "3 of 10 JavaScript frames of different stacks have no name: " + UnnamedReason.MOVED.text(),
                        "1 stack has more JavaScript frames than are recorded of a stack: the outermost are missing",
                        "2 different stacks have more async callers than the 16 that are recorded: the outermost are"
                                + " missing");
    }
}
