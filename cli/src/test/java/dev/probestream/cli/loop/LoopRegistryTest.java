package dev.probestream.cli.loop;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.cli.live.TaskNames;
import java.util.List;
import org.junit.jupiter.api.Test;

class LoopRegistryTest {
    private static final int TID = 10;

    private final LoopHits hits = new LoopHits(0);

    @Test
    void aTurnLastsFromTheFirstCallbackToTheNextWait() {
        hits.entersPoll(TID, LoopHits.LOOP, 100);
        hits.runs(hits.streams, TID, 600, 50);
        hits.runs(hits.streams, TID, 660, 40);
        hits.polls(TID, LoopHits.LOOP, 100, 610);
        hits.runsTimers(TID, LoopHits.LOOP, 720, 30);
        hits.entersPoll(TID, LoopHits.LOOP, 760);

        assertThat(hits.turns)
                .singleElement()
                .satisfies(turn -> assertThat(turn.startNs()).isEqualTo(600))
                .satisfies(turn -> assertThat(turn.busyNs()).isEqualTo(160))
                .satisfies(turn -> assertThat(turn.ran())
                        .extracting(LoopTurn.Activity::name)
                        .containsExactly("stream I/O", "stream I/O", "timers"));
        LoopNumbers numbers = onlyLoop();
        assertThat(numbers.turns().totalNs()).isEqualTo(160);
        assertThat(numbers.waits().totalNs()).isEqualTo(500);
        assertThat(numbers.handles()).isEqualTo(3);
        assertThat(numbers.requests()).isEqualTo(1);
    }

    @Test
    void aTurnOfWhichAPartWasNotWatchedIsNotCounted() {
        hits.entersPoll(TID, LoopHits.LOOP, 100);
        hits.polls(TID, LoopHits.LOOP, 100, 500);
        hits.book.interrupted();
        hits.entersPoll(TID, LoopHits.LOOP, 9_000);
        hits.polls(TID, LoopHits.LOOP, 9_000, 100);
        hits.entersPoll(TID, LoopHits.LOOP, 9_150);

        assertThat(hits.turns).extracting(LoopTurn::busyNs).containsExactly(50L);
    }

    @Test
    void aWaitThatBringsNothingLastsAsLongAsThePhase() {
        hits.entersPoll(TID, LoopHits.LOOP, 100);
        hits.polls(TID, LoopHits.LOOP, 100, 900);
        hits.entersPoll(TID, LoopHits.LOOP, 1010);

        assertThat(hits.turns).extracting(LoopTurn::busyNs).containsExactly(10L);
        assertThat(onlyLoop().waits().totalNs()).isEqualTo(900);
    }

    @Test
    void whatRanInsideStandsInside() {
        hits.entersPoll(TID, LoopHits.LOOP, 0);
        hits.polls(TID, LoopHits.LOOP, 0, 100);
        hits.runs(hits.pauses, TID, 120, 10);
        hits.opens(TID, "/etc/a", 140, 5);
        hits.runs(hits.jsTimers, TID, 115, 50);
        hits.runsTimers(TID, LoopHits.LOOP, 110, 60);
        hits.entersPoll(TID, LoopHits.LOOP, 200);

        assertThat(hits.turns.get(0).ran())
                .containsExactly(new LoopTurn.Activity(
                        "timers",
                        "",
                        110,
                        60,
                        List.of(new LoopTurn.Activity(
                                "JS timers",
                                "",
                                115,
                                50,
                                List.of(
                                        new LoopTurn.Activity("GC", "allocation failure", 120, 10, List.of()),
                                        new LoopTurn.Activity("uv_fs_open", "/etc/a", 140, 5, List.of()))))));
    }

    @Test
    void theLoopInsideOfACallbackIsWorkOfTheOuterOne() {
        hits.entersPoll(TID, LoopHits.LOOP, 0);
        hits.polls(TID, LoopHits.LOOP, 0, 100);
        hits.entersPoll(TID, LoopHits.INNER_LOOP, 130);
        hits.polls(TID, LoopHits.INNER_LOOP, 130, 800);
        hits.runs(hits.jsTimers, TID, 120, 850);
        hits.entersPoll(TID, LoopHits.LOOP, 1000);

        assertThat(hits.turns).extracting(LoopTurn::busyNs).containsExactly(900L);
        assertThat(hits.turns.get(0).ran().get(0).inside())
                .containsExactly(new LoopTurn.Activity("poll", "", 130, 800, List.of()));
    }

    @Test
    void aLoopThatWasTakenForTheThreadsOwnIsGivenUp() {
        hits.entersPoll(TID, LoopHits.INNER_LOOP, 1);
        for (int i = 0; i < 2000; i++) {
            hits.entersPoll(TID, LoopHits.LOOP, 100 + 10 * i);
            hits.polls(TID, LoopHits.LOOP, 100 + 10 * i, 5);
        }

        assertThat(hits.turns).hasSize(999);
    }

    @Test
    void aTurnWhoseHitsWereLostIsLeftOut() {
        hits.entersPoll(TID, LoopHits.LOOP, 0);
        hits.entersPoll(TID, LoopHits.LOOP, 100); // the span between them is missing
        hits.polls(TID, LoopHits.LOOP, 100, 10);
        hits.polls(TID, LoopHits.LOOP, 200, 10); // its beginning is missing
        hits.entersPoll(TID, LoopHits.LOOP, 300);

        assertThat(hits.turns).isEmpty();
    }

    @Test
    void whatRanBeforeTheFirstWaitIsNoTurn() {
        hits.runs(hits.streams, TID, 600, 50);
        hits.entersPoll(TID, LoopHits.LOOP, 700);

        assertThat(hits.turns).isEmpty();
    }

    @Test
    void threadsHaveLoopsOfTheirOwn() {
        hits.entersPoll(TID, LoopHits.LOOP, 0);
        hits.entersPoll(11, LoopHits.INNER_LOOP, 5);
        hits.polls(11, LoopHits.INNER_LOOP, 5, 10);
        hits.polls(TID, LoopHits.LOOP, 0, 100);
        hits.entersPoll(11, LoopHits.INNER_LOOP, 17);
        hits.book.threadEnded(11, "blocker");

        LoopTable table = hits.book.interval(0, 1, 0, new TaskNames());
        assertThat(table.loops()).extracting(LoopTable.Loop::tid).containsExactly(TID, 11);
        assertThat(table.loops().get(1).comm()).isEqualTo("blocker");
        assertThat(table.loops().get(1).numbers().turns().totalNs()).isEqualTo(2);
        assertThat(hits.book.interval(1, 2, 0, new TaskNames()).loops()).hasSize(1);
        assertThat(hits.book.total(0, 2, 0, new TaskNames()).loops()).hasSize(2);
    }

    @Test
    void whatIsTooShortIsNotKept() {
        LoopHits slow = new LoopHits(20);
        slow.entersPoll(TID, LoopHits.LOOP, 0);
        slow.polls(TID, LoopHits.LOOP, 0, 100);
        slow.runs(slow.jsTimers, TID, 110, 19);
        slow.runs(slow.jsTimers, TID, 130, 20);
        slow.entersPoll(TID, LoopHits.LOOP, 200);

        assertThat(slow.turns.get(0).ran()).hasSize(1);
    }

    private LoopNumbers onlyLoop() {
        List<LoopTable.Loop> loops =
                hits.book.interval(0, 1, 0, new TaskNames()).loops();
        assertThat(loops).hasSize(1);
        return loops.get(0).numbers();
    }
}
