package dev.probestream.collector.internal.v8;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.internal.program.layout.v8.AsyncKind;
import dev.probestream.collector.internal.v8.ReadNames.FrameKey;
import dev.probestream.schema.record.Frame;
import dev.probestream.schema.record.FrameKind;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ReadNamesTest {
    private static final long SHARED = 0x1001;
    private static final long PC = 0x7f00_0000;
    private static final FrameKey READ = new FrameKey(PC, SHARED, 0);

    private final ReadNames names = new ReadNames(3);

    private static Frame frame(int callLine, boolean isAsync) {
        return new Frame(
                "pass", "", isAsync ? 0L : PC, FrameKind.JS, "app.js", 30, 1, callLine, 5, false, isAsync, "app.ts", 9);
    }

    @Test
    void frameIsAsItWasRead() {
        names.put(READ, Optional.of(List.of(frame(32, false))));

        assertThat(names.of(READ)).contains(List.of(frame(32, false)));
    }

    @Test
    void functionIsKnownWithoutTheCallWhereAnotherFrameOfItWasRead() {
        names.put(READ, Optional.of(List.of(frame(32, false))));

        Frame another = names.of(new FrameKey(PC + 8, SHARED, 0)).orElseThrow().get(0);
        assertThat(another.getSymbol()).isEqualTo("pass");
        assertThat(another.getCallLine()).isZero();
        assertThat(another.getSourceFile()).isEmpty();
        assertThat(another.getIsAsync()).isFalse();
    }

    /** As a frame of the stack it would have called what only goes on for it. */
    @Test
    void functionThatAwaitsIsAnAsyncCallerThoughItWasReadAsAFrame() {
        names.put(READ, Optional.of(List.of(frame(32, false))));

        Frame waiting = names.of(new FrameKey(AsyncKind.AWAIT.pc(), SHARED, 0))
                .orElseThrow()
                .get(0);
        assertThat(waiting.getSymbol()).isEqualTo("pass");
        assertThat(waiting.getIsAsync()).isTrue();
        assertThat(waiting.getOffset()).isZero();
    }

    @Test
    void whatWasReadWithoutANameHasNone() {
        names.put(READ, Optional.empty());

        assertThat(names.has(READ)).isTrue();
        assertThat(names.of(READ)).isEmpty();
    }

    @Test
    void whatWasReadWhileObjectsMovedIsForgotten() {
        names.put(READ, Optional.of(List.of(frame(32, false))));
        names.remove(READ);

        assertThat(names.has(READ)).isFalse();
        assertThat(names.of(READ)).isEmpty();
    }
}
