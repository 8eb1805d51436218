package dev.probestream.convert.request;

import static dev.probestream.convert.request.Scenario.LOOP;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The owner of what continues a promise, by where in the heap the microtask and the async function were made. */
class AwaitingTest {
    private static final long S = 0x1000;
    private static final long T = 0x1100;
    private static final long P = 0x2000;
    private static final long Q = 0x2100;

    private static final long PAGE = 0x40000;
    /** Objects of the callbacks of requests a and b, and one that was made before. */
    private static final long OF_A = PAGE + 0x101;

    private static final long OF_B = PAGE + 0x201;
    private static final long OLDER = PAGE + 0x81;

    private static final Probe IO = probe(200, Role.STREAM_BEGIN, "stream", "async_counter", "allocated");
    private static final Probe TIMERS = probe(201, Role.LOOP_PHASE, "async_counter", "allocated");
    private static final Probe FILE = probe(202, null, "async_id", "microtask", "async_function");

    private final Scenario story = new Scenario().on(LOOP).complete();

    @Test
    void whatWasAwaitedInTheHandlerOfARequestIsForIt() throws IOException {
        twoRequests();
        timers(30, PAGE + 0x300);
        file(31, "of a", OF_A, 0);
        file(32, "of b", OF_B, 0);
        file(33, "of an older one", OLDER, 0);
        file(34, "made since", PAGE + 0x301, 0);
        Scenario.Result result = story.assemble();
        assertThat(result.number("of a")).isEqualTo(1);
        assertThat(result.number("of b")).isEqualTo(2);
        assertThat(result.number("of an older one")).isZero();
        assertThat(result.number("made since")).isZero();
    }

    @Test
    void anAsyncFunctionThatTheHandlerCalledIsForItAllItsTime() throws IOException {
        twoRequests();
        timers(30, PAGE + 0x300);
        file(31, "awaited since", PAGE + 0x305, OF_B);
        file(32, "awaited by a", OF_A, OF_B);
        Scenario.Result result = story.assemble();
        assertThat(result.number("awaited since")).isEqualTo(2);
        assertThat(result.number("awaited by a")).as("a contradiction").isZero();
    }

    @Test
    void whatFollowsFromTheCallbackOfAnotherRequestIsNobodys() throws IOException {
        twoRequests();
        file(28, "of a, in the callback of b", OF_A, 0);
        assertThat(story.assemble().number("of a, in the callback of b")).isZero();
    }

    @Test
    void whatBeganBeforeTheRequestThatIsReadIsNotIts() throws IOException {
        twoRequests();
        file(26, "older", OLDER, 0);
        file(27, "on another page", 3 * PAGE, 0);
        file(28, "of b", OF_B, 0);
        Scenario.Result result = story.assemble();
        assertThat(result.number("older")).isZero();
        assertThat(result.number("on another page")).isZero();
        assertThat(result.number("of b")).isEqualTo(2);
    }

    @Test
    void aCollectionMovesAllObjects() throws IOException {
        twoRequests();
        timers(30, PAGE + 0x300);
        story.at(31).lasting(2).gc();
        file(34, "of whatever is there now", OF_A, OF_A);
        assertThat(story.assemble().number("of whatever is there now")).isZero();
    }

    @Test
    void aCollectionThatIsNotRecordedShowsInItsPage() throws IOException {
        twoRequests();
        timers(30, PAGE + 0x80);
        file(34, "of whatever is there now", OF_B, OF_B);
        assertThat(story.assemble().number("of whatever is there now")).isZero();
    }

    @Test
    void whatIsBetweenTwoPagesIsNobodys() throws IOException {
        begin(10, S, PAGE + 0x100).get(P, "/a");
        timers(30, 2 * PAGE + 0x100);
        file(31, "of the old page", OF_A, 0);
        file(32, "of the new page", 2 * PAGE + 0x81, 0);
        Scenario.Result result = story.assemble();
        assertThat(result.number("of the old page")).isZero();
        assertThat(result.number("of the new page")).isZero();
    }

    @Test
    void whoeverServesAQueueGoesOnForOthersWhenItsRequestIsAnswered() throws IOException {
        begin(10, S, PAGE + 0x100)
                .get(P, "/a")
                .at(15)
                .line(S, "HTTP/1.1 200 OK")
                .at(16)
                .write(S, 100)
                .at(18)
                .streamEnd();
        begin(20, S, PAGE + 0x200).get(P, "/b").at(28).streamEnd();
        timers(30, PAGE + 0x300);
        file(31, "for others", OF_A, OF_A);
        assertThat(story.assemble().number("for others")).isZero();
    }

    @Test
    void nothingIsKnownWhereHitsMayBeMissing() throws IOException {
        Scenario incomplete = new Scenario().on(LOOP);
        incomplete
                .at(10)
                .hit(IO, new String[0], S, 100, PAGE + 0x100)
                .at(11)
                .get(P, "/a")
                .at(18)
                .streamEnd();
        incomplete.at(30).lasting(1000).hit(TIMERS, new String[0], 120, PAGE + 0x300);
        incomplete.at(31).as("of a").hit(FILE, new String[0], 0, OF_A, OF_A);
        assertThat(incomplete.assemble().number("of a")).isZero();
    }

    private void twoRequests() {
        begin(10, S, PAGE + 0x100).get(P, "/a");
        begin(20, T, PAGE + 0x200).get(Q, "/b");
    }

    private Scenario begin(long atNs, long stream, long top) {
        return story.at(atNs).hit(IO, new String[0], stream, 100, top).at(atNs + 1);
    }

    private void timers(long atNs, long top) {
        story.at(atNs).lasting(1000).hit(TIMERS, new String[0], 120, top);
    }

    private void file(long atNs, String label, long microtask, long asyncFunction) {
        story.at(atNs).as(label).hit(FILE, new String[0], 0, microtask, asyncFunction);
    }

    private static Probe probe(int id, @Nullable Role role, String... numbers) {
        Probe probe = RoleProbes.probe(id, EventKind.INSTANT, role == null ? "" : role.spelling(), "");
        for (String number : numbers) {
            probe.getArguments().add(RoleProbes.argument(number, "s64", FlowStep.NONE));
        }
        return probe;
    }
}
