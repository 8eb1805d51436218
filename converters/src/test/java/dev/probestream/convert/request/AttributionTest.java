package dev.probestream.convert.request;

import static dev.probestream.convert.request.Scenario.LOOP;
import static dev.probestream.convert.request.Scenario.POOL;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import org.junit.jupiter.api.Test;

class AttributionTest {
    private static final long S = 0x1000;
    private static final long T = 0x1100;
    private static final long P = 0x2000;
    private static final long Q = 0x2100;
    private static final long JOB = 0x9000;

    private final Scenario story = new Scenario().on(LOOP);

    @Test
    void workForThePoolCarriesItsRequestThroughToItsCallback() throws IOException {
        story.at(10)
                .streamBegin(S)
                .get(P, "/a")
                .at(20)
                .as("submit")
                .lasting(2)
                .submit(JOB)
                .at(25)
                .streamEnd();
        story.on(POOL)
                .at(30)
                .as("work")
                .lasting(20)
                .work(JOB)
                .at(35)
                .as("in work")
                .plain()
                .at(60)
                .as("idle")
                .plain();
        story.on(LOOP)
                .at(70)
                .as("done")
                .lasting(20)
                .done(JOB)
                .at(75)
                .as("in callback")
                .plain();
        Scenario.Result result = story.at(95).as("after").plain().assemble();
        for (String label : new String[] {"submit", "work", "in work", "done", "in callback"}) {
            assertThat(result.number(label)).as(label).isEqualTo(1);
        }
        assertThat(result.number("idle")).isEqualTo(0);
        assertThat(result.number("after")).isEqualTo(0);
    }

    @Test
    void aPointerThatIsUsedAgainIsOtherWork() throws IOException {
        story.at(10)
                .streamBegin(S)
                .get(P, "/a")
                .at(20)
                .lasting(2)
                .submit(JOB)
                .at(25)
                .streamEnd();
        story.at(40)
                .lasting(5)
                .done(JOB)
                .at(50)
                .lasting(1)
                .submit(JOB)
                .on(POOL)
                .at(60)
                .as("not ours")
                .lasting(5)
                .work(JOB);
        assertThat(story.assemble().number("not ours")).isEqualTo(0);
    }

    @Test
    void workThatACallbackOrdersAgainUnderTheSamePointerIsStillItsRequests() throws IOException {
        story.at(10)
                .streamBegin(S)
                .get(P, "/a")
                .at(20)
                .lasting(2)
                .submit(JOB)
                .at(25)
                .streamEnd();
        story.at(40).lasting(9).done(JOB).at(42).lasting(1).submit(JOB);
        story.on(POOL)
                .at(60)
                .as("second")
                .lasting(5)
                .work(JOB)
                .on(LOOP)
                .at(70)
                .lasting(5)
                .as("end")
                .done(JOB);
        Scenario.Result result = story.assemble();
        assertThat(result.number("second")).isEqualTo(1);
        assertThat(result.number("end")).isEqualTo(1);
    }

    @Test
    void afterSeveralRequestsInOneReadNothingTellsWhoseTheContextIs() throws IOException {
        story.at(10)
                .streamBegin(S)
                .get(P, "/a")
                .at(20)
                .as("first")
                .plain()
                .at(30)
                .httpBegin(P, 1)
                .at(31)
                .httpUrl(P, "/b");
        story.at(32)
                .requestHeaders(P, 1, 0)
                .at(33)
                .as("second")
                .plain()
                .at(34)
                .httpEnd(P)
                .at(40)
                .as("then")
                .plain();
        Scenario.Result result = story.at(50).streamEnd().assemble();
        assertThat(result.number("first")).isEqualTo(1);
        assertThat(result.number("second")).isEqualTo(2);
        assertThat(result.number("then")).isEqualTo(0);
    }

    @Test
    void timersAndImmediatesAreNobodys() throws IOException {
        story.at(10)
                .streamBegin(S)
                .get(P, "/a")
                .at(20)
                .streamEnd()
                .at(30)
                .lasting(20)
                .phase();
        assertThat(story.at(35).as("timer").plain().assemble().number("timer")).isEqualTo(0);
    }

    @Test
    void twoStreamsThatAreHandledInTurnKeepTheirOwn() throws IOException {
        story.at(10)
                .streamBegin(S)
                .get(P, "/a")
                .at(20)
                .streamEnd()
                .at(30)
                .streamBegin(T)
                .get(Q, "/b");
        story.at(40)
                .as("b")
                .plain()
                .at(50)
                .streamEnd()
                .at(60)
                .streamBegin(S)
                .at(61)
                .as("drain of a")
                .plain();
        Scenario.Result result = story.at(70).streamEnd().assemble();
        assertThat(result.number("b")).isEqualTo(2);
        assertThat(result.number("drain of a")).isEqualTo(1);
    }

    @Test
    void aHandlingWhoseEndWasLostEndsWithTheNextOne() throws IOException {
        story.at(10)
                .streamBegin(S)
                .get(P, "/a")
                .at(30)
                .streamBegin(T)
                .at(31)
                .as("of t")
                .plain()
                .at(32)
                .streamEnd();
        assertThat(story.at(40).as("after").plain().assemble().number("after")).isEqualTo(0);
    }

    @Test
    void aHandlingWhoseEndWasLostEndsWithTheWaitingAroundIt() throws IOException {
        story.at(5)
                .lasting(20)
                .poll()
                .at(10)
                .streamBegin(S)
                .get(P, "/a")
                .at(20)
                .as("in")
                .plain();
        Scenario.Result result = story.at(30).as("after").plain().assemble();
        assertThat(result.number("in")).isEqualTo(1);
        assertThat(result.number("after")).isEqualTo(0);
    }

    @Test
    void aLoopWithinTheLoopHandlesItsOwnStreams() throws IOException {
        story.at(10)
                .lasting(40)
                .streamBegin(S)
                .get(P, "/a")
                .at(20)
                .lasting(20)
                .poll()
                .at(25)
                .lasting(5)
                .streamBegin(T)
                .at(26)
                .as("child")
                .plain();
        Scenario.Result result = story.at(45).as("outer").plain().assemble();
        assertThat(result.number("child")).isEqualTo(0);
        assertThat(result.number("outer")).isEqualTo(1);
    }

    @Test
    void whatTheNextBytesAreOfIsNotKnownBeforeTheyAreParsed() throws IOException {
        story.at(10)
                .streamBegin(S)
                .get(P, "/a")
                .at(20)
                .streamEnd()
                .at(30)
                .streamBegin(S)
                .at(31)
                .read(S, 10);
        Scenario.Result result = story.at(32)
                .as("unparsed")
                .plain()
                .at(33)
                .get(P, "/b")
                .at(40)
                .as("parsed")
                .plain()
                .assemble();
        assertThat(result.number("unparsed")).isEqualTo(0);
        assertThat(result.number("parsed")).isEqualTo(2);
    }

    @Test
    void flowsOfAnyProbeCarryTheirRequest() throws IOException {
        story.at(10)
                .streamBegin(S)
                .get(P, "/a")
                .at(20)
                .flow(RoleProbes.FLOW_START, 77)
                .at(25)
                .streamEnd();
        story.on(POOL)
                .at(40)
                .as("end")
                .lasting(10)
                .flow(RoleProbes.FLOW_END, 77)
                .at(45)
                .as("in")
                .plain();
        Scenario.Result result = story.at(60)
                .as("again")
                .lasting(10)
                .flow(RoleProbes.FLOW_END, 77)
                .assemble();
        assertThat(result.number("end")).isEqualTo(1);
        assertThat(result.number("in")).isEqualTo(1);
        assertThat(result.number("again")).isEqualTo(0);
    }

    @Test
    void aSwitchBelongsToWhatItsThreadWasDoing() throws IOException {
        story.at(10).streamBegin(S).get(P, "/a").at(20).as("away").switchTo(0);
        story.on(0).at(30).as("back").switchTo(LOOP);
        Scenario.Result result = story.on(LOOP).at(40).streamEnd().assemble();
        assertThat(result.number("away")).isEqualTo(1);
        assertThat(result.number("back")).isEqualTo(0);
    }
}
