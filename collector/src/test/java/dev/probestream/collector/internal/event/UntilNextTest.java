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
import java.util.Comparator;
import java.util.List;
import java.util.function.Predicate;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Spans with the flag untilnext: one hit each, and each ends where the next one begins that is not inside it. */
@KernelTest(since = "6.1")
class UntilNextTest {
    @TempDir
    static Path folder;

    private static CProgram phases;

    @BeforeAll
    static void compile() throws Exception {
        phases = CProgram.compile(folder, "probe/phases");
    }

    /** A capture of the four functions. */
    private static final class Loop implements AutoCloseable {
        final TestCapture capture;
        final int timers;
        final int poll;
        final int check;
        final int callback;

        Loop(CProgram.Running process, UprobeAttachMethod means, int maxThreads) throws Exception {
            capture = new TestCapture(
                    TestCapture.options(TargetFilter.process(process.pid()))
                            .withSizes(1 << 20, maxThreads)
                            .withUprobes(means.attachType(), true, means.hasCookies()),
                    means);
            timers = add("timers", "timers(turn=arg1)");
            poll = add("poll_events", "poll_events(turn=arg1)");
            check = add("check", "check(turn=arg1)");
            callback = add("callback", "callback(n=arg1, depth=arg2)");
            capture.start();
        }

        private int add(String function, String spec) throws Exception {
            return capture.add("span:" + spec + " [untilnext]", phases, function);
        }

        Event one(int probe, EventKind kind, Predicate<Event> which) {
            List<Event> found = capture.eventsOf(probe).stream()
                    .filter(event -> event.getKind() == kind)
                    .filter(which)
                    .toList();
            assertThat(found).hasSize(1);
            return found.get(0);
        }

        @Override
        public void close() {
            capture.close();
        }
    }

    private static long endOf(Event event) {
        return event.getTimestampNs() + event.getDurationNs();
    }

    /** The best means is that of the other tests. */
    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "MULTI")
    void theEndOfAPhaseIsTheBeginningOfTheNext(UprobeAttachMethod means) throws Exception {
        try (CProgram.Running process = phases.start();
                Loop loop = new Loop(process, means, 100)) {
            process.ask("run 5 0");
            loop.capture.stop();

            List<Event> ofLoop = loop.capture.events.stream()
                    .filter(event -> event.getProbeId() != loop.callback)
                    .sorted(Comparator.comparingLong(Event::getTimestampNs))
                    .toList();
            assertThat(ofLoop).hasSize(15);
            for (int i = 0; i < 14; i++) {
                Event phase = ofLoop.get(i);
                assertThat(phase.getKind()).isEqualTo(EventKind.SPAN);
                assertThat(phase.getNumbers()).containsExactly((long) (i / 3));
                assertThat(endOf(phase)).isEqualTo(ofLoop.get(i + 1).getTimestampNs());
            }
            assertThat(ofLoop.get(14).getKind()).isEqualTo(EventKind.OPEN_SPAN);
            List<Event> callbacks = loop.capture.eventsOf(loop.callback);
            assertThat(callbacks)
                    .hasSize(15)
                    .allSatisfy(event -> assertThat(event.getKind()).isEqualTo(EventKind.SPAN));
            for (int i = 0; i < 15; i++) {
                Event poll = ofLoop.get(i / 3 * 3 + 1);
                assertThat(callbacks.get(i).getNumbers()).containsExactly(i % 3 + 1L, 0L);
                assertThat(callbacks.get(i).getTimestampNs()).isGreaterThanOrEqualTo(poll.getTimestampNs());
                assertThat(endOf(callbacks.get(i)))
                        .isEqualTo(
                                i % 3 == 2 ? endOf(poll) : callbacks.get(i + 1).getTimestampNs());
            }
            assertThat(loop.capture.losses).isEmpty();
        }
    }

    @Test
    void aLoopInACallbackIsInsideIt() throws Exception {
        try (CProgram.Running process = phases.start();
                Loop loop = new Loop(process, UprobeAttachMethod.best(), 100)) {
            process.ask("run 2 1");
            loop.capture.stop();

            Event outer = loop.one(
                    loop.callback, EventKind.SPAN, event -> event.getNumbers().equals(List.of(2L, 1L)));
            Event next = loop.one(
                    loop.callback, EventKind.SPAN, event -> event.getNumbers().equals(List.of(3L, 1L)));
            assertThat(endOf(outer)).isEqualTo(next.getTimestampNs());
            List<Event> inside = loop.capture.events.stream()
                    .filter(event -> event.getTimestampNs() > outer.getTimestampNs()
                            && event.getTimestampNs() < next.getTimestampNs())
                    .toList();
            assertThat(inside)
                    .hasSize(6)
                    .allSatisfy(event -> assertThat(endOf(event)).isLessThanOrEqualTo(endOf(outer)));
            // The outer poll goes on until the outer check.
            Event poll = loop.one(loop.poll, EventKind.SPAN, event -> event.getTimestampNs() < outer.getTimestampNs());
            assertThat(endOf(poll)).isGreaterThan(next.getTimestampNs());
            assertThat(loop.capture.losses).isEmpty();
            assertThat(loop.capture.events).hasSize(2 * 6 + 6);
        }
    }

    @Test
    void aProbeThatIsNoSpanEndsThemAndBeginsNone() throws Exception {
        try (CProgram.Running process = phases.start();
                TestCapture capture = new TestCapture(
                        TestCapture.options(TargetFilter.process(process.pid()))
                                .withUprobes(UprobeAttachMethod.best().attachType(), true, true),
                        UprobeAttachMethod.best())) {
            int poll = capture.add("span:poll_events(turn=arg1) [untilnext]", phases, "poll_events");
            int check = capture.add("uprobe:check(turn=arg1) [untilnext]", phases, "check");
            capture.start();
            process.ask("run 3 0");
            capture.stop();

            assertThat(capture.events)
                    .extracting(Event::getProbeId, Event::getKind)
                    .containsExactly(
                            tuple(poll, EventKind.SPAN),
                            tuple(check, EventKind.INSTANT),
                            tuple(poll, EventKind.SPAN),
                            tuple(check, EventKind.INSTANT),
                            tuple(poll, EventKind.SPAN),
                            tuple(check, EventKind.INSTANT));
            assertThat(endOf(capture.events.get(0)))
                    .isEqualTo(capture.events.get(1).getTimestampNs());
            assertThat(capture.eventsOf(check))
                    .extracting(event -> event.getNumbers().get(0))
                    .containsExactly(0L, 1L, 2L);
            assertThat(capture.losses).isEmpty();
        }
    }

    @Test
    void whatALongJumpLeftEndsWhereTheNextBegins() throws Exception {
        try (CProgram.Running process = phases.start();
                Loop loop = new Loop(process, UprobeAttachMethod.best(), 100)) {
            process.ask("jump");
            loop.capture.stop();

            Event jumping = loop.one(
                    loop.callback, EventKind.SPAN, event -> event.getNumbers().get(0) == 101);
            Event poll = loop.one(
                    loop.poll, EventKind.SPAN, event -> event.getNumbers().get(0) == -101);
            Event after = loop.one(loop.timers, EventKind.OPEN_SPAN, event -> true);
            assertThat(endOf(jumping)).isEqualTo(after.getTimestampNs());
            assertThat(endOf(poll)).isEqualTo(after.getTimestampNs());
            assertThat(loop.capture.losses).isEmpty();
        }
    }

    @Test
    void threadsHavePhasesOfTheirOwnWhichEndWithThem() throws Exception {
        try (CProgram.Running process = phases.start();
                Loop loop = new Loop(process, UprobeAttachMethod.best(), 100)) {
            String[] tids = process.ask("threads 4 100").split(" ");
            int left = Integer.parseInt(process.ask("leave"));
            loop.capture.stop();

            for (String tid : tids) {
                List<Event> own = loop.capture.events.stream()
                        .filter(event -> event.getTid() == Integer.parseInt(tid))
                        .toList();
                // The last one was open when the thread ended.
                assertThat(own).hasSize(600);
                assertThat(own.subList(0, 599))
                        .allSatisfy(event -> assertThat(event.getKind()).isEqualTo(EventKind.SPAN));
                assertThat(own.get(599).getKind()).isEqualTo(EventKind.OPEN_SPAN);
                assertThat(own.get(599).getDurationNs()).isEqualTo(-1);
            }
            assertThat(loop.capture.events)
                    .filteredOn(event -> event.getTid() == left)
                    .extracting(Event::getProbeId, Event::getKind)
                    .containsExactly(tuple(loop.callback, EventKind.OPEN_SPAN), tuple(loop.poll, EventKind.OPEN_SPAN));
            assertThat(loop.capture.losses).isEmpty();
        }
    }

    @Test
    void whatAThreadWasInEndsWithItsProgram() throws Exception {
        try (CProgram.Running process = phases.start();
                Loop loop = new Loop(process, UprobeAttachMethod.best(), 100)) {
            assertThat(process.ask("exec " + phases.executable())).isEqualTo("again");
            process.ask("run 1 0");
            loop.capture.stop();

            loop.one(loop.poll, EventKind.OPEN_SPAN, event -> event.getNumbers().get(0) == -8);
            loop.one(loop.poll, EventKind.SPAN, event -> event.getNumbers().get(0) == 0);
            loop.one(loop.check, EventKind.OPEN_SPAN, event -> true);
            assertThat(loop.capture.events).hasSize(8);
            assertThat(loop.capture.losses).isEmpty();
        }
    }

    @Test
    void whatFindsNoRoomIsCounted() throws Exception {
        try (CProgram.Running process = phases.start();
                Loop loop = new Loop(process, UprobeAttachMethod.best(), 2)) {
            process.ask("threads 4 10");
            process.ask("run 1 6"); // seven loops, of which four have room for a phase and a callback
            loop.capture.stop();

            assertThat(loop.capture.losses)
                    .isNotEmpty()
                    .allSatisfy(loss -> assertThat(loss.getReason()).isEqualTo(LossReason.TOO_MANY_OPEN_SPANS));
            long lost = loop.capture.losses.stream()
                    .mapToLong(loss -> loss.getCount())
                    .sum();
            assertThat(lost).isGreaterThan(2 * 60);
            assertThat(loop.capture.events.size() + lost).isEqualTo(4 * 60 + 7 * 6);
        }
    }

    @Test
    void aFullRingIsCountedToTheSpanThatEnds() throws Exception {
        try (CProgram.Running process = phases.start();
                Loop loop = new Loop(process, UprobeAttachMethod.best(), 100)) {
            process.ask("run 3000 0"); // of which nothing is read before stop()
            loop.capture.stop();

            long lost = loop.capture.losses.stream()
                    .mapToLong(loss -> loss.getCount())
                    .sum();
            assertThat(loop.capture.losses)
                    .isNotEmpty()
                    .allSatisfy(loss -> assertThat(loss.getReason()).isEqualTo(LossReason.RING_FULL));
            assertThat(loop.capture.events.size() + lost).isEqualTo(3000 * 6);
            assertThat(Arrays.asList(loop.timers, loop.poll, loop.check, loop.callback))
                    .containsAll(loop.capture.losses.stream()
                            .map(loss -> loss.getProbeId())
                            .distinct()
                            .toList());
        }
    }
}
