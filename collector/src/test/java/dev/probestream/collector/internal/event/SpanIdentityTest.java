package dev.probestream.collector.internal.event;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.kernel.UprobeAttachMethod;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.schema.record.Event;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.LossReason;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Every call whose entry was probed is one span, one open span or one counted loss. */
@KernelTest(since = "6.6")
class SpanIdentityTest {
    @TempDir
    static Path folder;

    private static CProgram spans;

    @BeforeAll
    static void compile() throws Exception {
        spans = CProgram.compile(folder, "probe/spans");
    }

    private static int add(TestCapture capture, String function, String rest) throws Exception {
        return capture.add("span:" + function + rest, spans, function);
    }

    @ParameterizedTest
    @EnumSource
    void everyCallOfEveryThreadIsOneSpanByAnyMeans(UprobeAttachMethod means) throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = new TestCapture(
                        TestCapture.options(TargetFilter.process(process.pid()))
                                .withUprobes(means.attachType(), true, means.hasCookies()),
                        means)) {
            int twice = add(capture, "twice", "(n=arg1:s64, ret:s64)");
            int inner = add(capture, "inner", "(n=arg1:s64, ret:s64)");
            capture.start();
            String[] tids = process.ask("threads 4 1000").split(" ");
            capture.stop();

            List<Event> events = capture.eventsOf(twice);
            assertThat(events).hasSize(4000);
            assertThat(capture.eventsOf(inner)).isEmpty();
            assertThat(capture.losses).isEmpty();
            Map<Integer, List<Event>> byThread = events.stream().collect(Collectors.groupingBy(Event::getTid));
            assertThat(byThread.keySet())
                    .containsExactlyInAnyOrderElementsOf(
                            Arrays.stream(tids).map(Integer::valueOf).toList());
            byThread.values()
                    .forEach(ofThread -> assertThat(ofThread)
                            .extracting(event -> event.getNumbers().get(0))
                            .containsExactlyElementsOf(
                                    LongStream.range(0, 1000).boxed().toList()));
            assertThat(events).allSatisfy(event -> {
                assertThat(event.getReturnValue())
                        .isEqualTo(2 * event.getNumbers().get(0));
                assertThat(event.getPid()).isEqualTo(process.pid());
                assertThat(event.getKind()).isEqualTo(EventKind.SPAN);
                assertThat(event.getDurationNs()).isPositive();
                assertThat(event.getUnavailable()).isZero();
            });
            assertThat(capture.events)
                    .extracting(Event::getSequence)
                    .containsExactlyElementsOf(LongStream.range(0, 4000).boxed().toList());
        }
    }

    @Test
    void recursionFiftyDeepIsFiftyNestedSpans() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int recurse = add(capture, "recurse", "(n=arg1:s64, ret:s64)");
            capture.start();
            process.ask("recurse 50");
            capture.stop();

            // Inner calls return first.
            List<Event> events = capture.eventsOf(recurse);
            assertThat(events)
                    .extracting(event -> event.getNumbers().get(0))
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(1, 50).boxed().toList());
            assertThat(events)
                    .extracting(Event::getReturnValue)
                    .containsExactlyElementsOf(
                            LongStream.rangeClosed(1, 50).boxed().toList());
            IntStream.range(1, 50).forEach(i -> assertContains(events.get(i), events.get(i - 1)));
            assertThat(capture.losses).isEmpty();
        }
    }

    @Test
    void nestedCallsLieInsideTheirCallers() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int outer = add(capture, "outer", "(n=arg1:s64, ret:s64)");
            int inner = add(capture, "inner", "(n=arg1:s64, ret:s64)");
            capture.start();
            process.ask("nest 100");
            capture.stop();

            List<Event> outers = capture.eventsOf(outer);
            List<Event> inners = capture.eventsOf(inner);
            assertThat(outers).hasSize(100);
            assertThat(inners).hasSize(200);
            for (int i = 0; i < 100; i++) {
                assertThat(inners.get(2 * i).getNumbers()).containsExactly((long) i);
                assertThat(inners.get(2 * i + 1).getNumbers()).containsExactly((long) -i);
                assertContains(outers.get(i), inners.get(2 * i));
                assertContains(outers.get(i), inners.get(2 * i + 1));
                assertThat(outers.get(i).getReturnValue()).isEqualTo(2);
            }
            assertThat(capture.losses).isEmpty();
        }
    }

    private static void assertContains(Event outer, Event inner) {
        assertThat(inner.getTimestampNs()).isGreaterThanOrEqualTo(outer.getTimestampNs());
        assertThat(inner.getTimestampNs() + inner.getDurationNs())
                .isLessThanOrEqualTo(outer.getTimestampNs() + outer.getDurationNs());
    }

    @Test
    void callsThatAreJumpedOutOfAreCounted() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int jumper = add(capture, "jumper", "(n=arg1:s64)");
            int landing = add(capture, "landing", "(n=arg1:s64)");
            int twice = add(capture, "twice", "(n=arg1:s64)");
            capture.start();
            process.ask("jump 10");
            process.ask("twice 5");
            capture.stop();

            for (int probe : new int[] {jumper, landing}) {
                assertThat(capture.eventsOf(probe, EventKind.SPAN)).isEmpty();
                // Nine are found out by the next call at the same place; of the last nothing more is known.
                assertThat(capture.lost(probe, LossReason.RETURN_NOT_SEEN)
                                + capture.eventsOf(probe, EventKind.OPEN_SPAN).size())
                        .isEqualTo(10);
                assertThat(capture.lost(probe, LossReason.RETURN_NOT_SEEN)).isGreaterThanOrEqualTo(9);
            }
            assertThat(capture.eventsOf(twice, EventKind.SPAN)).hasSize(5);
        }
    }

    @Test
    void deeperThanTheKernelFollowsReturnsIsStillAccountedFor() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int recurse = add(capture, "recurse", "(n=arg1:s64, ret:s64)");
            capture.start();
            process.ask("recurse 100");
            process.ask("recurse 100");
            capture.stop();

            assertThat(capture.eventsOf(recurse).size() + capture.lost(recurse)).isEqualTo(200);
            assertThat(capture.eventsOf(recurse, EventKind.SPAN).size()).isBetween(128, 130);
            assertThat(capture.lost(recurse, LossReason.TOO_MANY_OPEN_SPANS)).isZero();
        }
    }

    @Test
    void entriesThatDoNotFitTheMapAreCounted() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = new TestCapture(
                        TestCapture.options(TargetFilter.process(process.pid())).withSizes(1 << 16, 8),
                        UprobeAttachMethod.MULTI)) {
            int recurse = add(capture, "recurse", "(n=arg1:s64)");
            capture.start();
            process.ask("recurse 50");
            capture.stop();

            assertThat(capture.eventsOf(recurse)).hasSize(8);
            assertThat(capture.lost(recurse, LossReason.TOO_MANY_OPEN_SPANS)).isEqualTo(42);
        }
    }

    @Test
    void aCallThatIsNotOverIsAnOpenSpan() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int blocked = add(capture, "blocked", "(n=arg1:s32, text=*ret:str at return, ret:s64)");
            capture.start();
            int tid = Integer.parseInt(process.ask("block"));
            capture.stop();
            process.ask("unblock");

            Event open = capture.eventsOf(blocked).get(0);
            assertThat(capture.eventsOf(blocked)).hasSize(1);
            assertThat(open.getKind()).isEqualTo(EventKind.OPEN_SPAN);
            assertThat(open.getTid()).isEqualTo(tid);
            assertThat(open.getDurationNs()).isEqualTo(-1);
            assertThat(open.getNumbers()).containsExactly(7L);
            assertThat(open.getStrings()).containsExactly("");
            assertThat(open.getUnavailable()).isEqualTo(1L << 63 | 1L << 1);
        }
    }

    @Test
    void aCallThatBeganBeforeTheCaptureIsNoSpan() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int blocked = add(capture, "blocked", "(n=arg1:s32)");
            process.ask("block");
            capture.start();
            process.ask("unblock");
            capture.stop();

            assertThat(capture.eventsOf(blocked)).isEmpty();
            assertThat(capture.losses).isEmpty();
        }
    }

    @Test
    void aCallWhoseThreadEndsIsAnOpenSpan() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = TestCapture.of(process.pid())) {
            int blocked = add(capture, "blocked", "(n=arg1:s32)");
            capture.start();
            int tid = Integer.parseInt(process.ask("leave"));
            capture.stop();

            assertThat(capture.eventsOf(blocked))
                    .extracting(Event::getKind, Event::getTid)
                    .containsExactly(tuple(EventKind.OPEN_SPAN, tid));
        }
    }

    @RepeatedTest(10)
    void deliveredAndLostAreAllCallsWhenTheRingIsFarTooSmall() throws Exception {
        try (CProgram.Running process = spans.start();
                TestCapture capture = new TestCapture(
                        TestCapture.options(TargetFilter.process(process.pid())).withSizes(4096, 8192),
                        UprobeAttachMethod.MULTI)) {
            int twice = add(capture, "twice", "(n=arg1:s64, ret:s64)");
            capture.start();
            process.send("threads 2 20000");
            Thread reader = new Thread(() -> {
                while (!Thread.currentThread().isInterrupted()) {
                    capture.drain();
                }
            });
            reader.start();
            process.receive();
            reader.interrupt();
            reader.join();
            capture.stop();

            assertThat(capture.eventsOf(twice).size() + capture.lost(twice, LossReason.RING_FULL))
                    .isEqualTo(40_000);
            assertThat(capture.lost(twice, LossReason.RING_FULL)).isPositive();
            assertThat(capture.lost(twice)).isEqualTo(capture.lost(twice, LossReason.RING_FULL));
        }
    }
}
