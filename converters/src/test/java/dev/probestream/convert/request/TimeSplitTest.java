package dev.probestream.convert.request;

import static dev.probestream.convert.request.Scenario.LOOP;
import static dev.probestream.convert.request.Scenario.POOL;
import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.request.plan.Role;
import dev.probestream.convert.request.split.TimeSplit;
import java.io.IOException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class TimeSplitTest {
    private static final long S = 0x1000;
    private static final long C = 0x1800;
    private static final long P = 0x2000;
    private static final long Q = 0x2800;
    private static final long JOB = 0x9000;

    private final Scenario story = new Scenario().on(LOOP);

    @BeforeEach
    void beginAt100() {
        story.at(90).streamBegin(S).at(100).get(P, "/a");
    }

    private TimeSplit answeredAt(long endNs) throws IOException {
        return story.at(endNs).line(S, "HTTP/1.1 200 OK").assemble().of("/a").split();
    }

    @Test
    void workForThePoolIsWaitingRunningAndWaitingForTheLoop() throws IOException {
        story.at(110).lasting(5).submit(JOB).at(130).streamEnd();
        story.on(POOL).at(170).lasting(200).work(JOB);
        story.on(LOOP).at(450).lasting(100).done(JOB);
        assertThat(answeredAt(500)).isEqualTo(new TimeSplit(80, 0, -1, 80, 40, 200, 0, 0));
    }

    @Test
    void collectingGarbageAndBeingOffTheCpuAreNoJavaScript() throws IOException {
        story.at(120).lasting(30).gc().at(160).switchTo(0).on(0).at(180).switchTo(LOOP);
        assertThat(answeredAt(200)).isEqualTo(new TimeSplit(50, 30, 20, 0, 0, 0, 0, 0));
    }

    @Test
    void timesOffTheCpuMayBeSpans() throws IOException {
        story.at(120)
                .lasting(30)
                .gc()
                .at(130)
                .lasting(10)
                .offCpu(1)
                .at(160)
                .lasting(20)
                .offCpu(5);
        story.on(POOL).at(165).lasting(1000).offCpu(0);
        story.on(LOOP);
        assertThat(answeredAt(200)).isEqualTo(new TimeSplit(50, 30, 20, 0, 0, 0, 0, 0));
    }

    @Test
    void askingAnotherServerIsNetworkAsFarAsTheLoopDoesNothingForIt() throws IOException {
        story.at(110).lasting(2).connect(C, "10.0.0.1:80").at(120).streamEnd();
        story.at(150)
                .streamBegin(C)
                .connected(C)
                .at(155)
                .line(C, "GET /b HTTP/1.1")
                .at(160)
                .streamEnd();
        story.at(200)
                .streamBegin(C)
                .at(201)
                .read(C, 10)
                .at(202)
                .answer(Q, 200)
                .at(210)
                .streamEnd();
        story.at(250).lasting(20).phase();
        Scenario.Result result = story.at(260).line(S, "HTTP/1.1 200 OK").assemble();
        // 100..120, 150..160 and 200..210 on the loop, 120..150 and 160..200 network, 210..260 who knows
        assertThat(result.of("/a").split()).isEqualTo(new TimeSplit(40, 0, -1, 0, 0, 0, 70, 50));
        assertThat(result.of("/b").split()).isEqualTo(new TimeSplit(9, 0, -1, 0, 0, 0, 40, 0));
    }

    @Test
    void aBodyThatIsStillToComeIsNetwork() throws IOException {
        Scenario slow = new Scenario()
                .on(LOOP)
                .at(100)
                .streamBegin(S)
                .httpBegin(P, 1)
                .httpUrl(P, "/up")
                .requestHeaders(P, 3, 8);
        slow.at(110)
                .streamEnd()
                .at(190)
                .streamBegin(S)
                .read(S, 50)
                .httpEnd(P)
                .at(195)
                .line(S, "HTTP/1.1 200 OK");
        assertThat(slow.assemble().only().split()).isEqualTo(new TimeSplit(15, 0, -1, 0, 0, 0, 80, 0));
    }

    @Test
    void whatIsDoneAfterTheAnswerDoesNotCount() throws IOException {
        story.at(120)
                .lasting(10)
                .write(S, 5)
                .at(121)
                .line(S, "HTTP/1.1 200 OK")
                .at(500)
                .streamEnd();
        story.at(900).streamBegin(S).at(910).get(P, "/b");
        assertThat(story.assemble().of("/a").split()).isEqualTo(new TimeSplit(30, 0, -1, 0, 0, 0, 0, 0));
    }

    @Test
    void partsWithoutProbesAreUnknownAndTheirTimeIsInThePartAround() throws IOException {
        story.without(Role.GC_PAUSE).without(Role.POOL_WORK);
        story.at(110).lasting(5).submit(JOB).at(120).lasting(10).gc().at(140).streamEnd();
        assertThat(answeredAt(200)).isEqualTo(new TimeSplit(40, -1, -1, -1, -1, -1, 0, 60));
    }

    @Test
    void anOpenRequestIsSplitAsFarAsTheCaptureGoes() throws IOException {
        assertThat(story.at(150).streamEnd().at(180).plain().assemble().only().split())
                .isEqualTo(new TimeSplit(50, 0, -1, 0, 0, 0, 0, 30));
    }
}
