package dev.probestream.collector.publish;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RetryDeadlineTest {
    private static final long SECOND = 1_000_000_000L;

    private long nowNs = 77 * SECOND;
    private boolean isStopped;
    private final RetryDeadline deadline = new RetryDeadline(120 * SECOND, () -> isStopped, () -> nowNs);

    @Test
    void silenceIsBorneAsLongAsTheDeliveryMayTake() {
        deadline.beginWait();
        nowNs += 120 * SECOND - 1;
        assertThat(deadline.expiry()).isEmpty();
        nowNs += 1;
        assertThat(deadline.expiry()).contains("no response for 120 s");
    }

    @Test
    void everyAnswerBeginsTheSilenceAnew() {
        deadline.beginWait();
        for (int acknowledged = 1; acknowledged < 10; acknowledged++) {
            nowNs += 100 * SECOND;
            deadline.recordProgress(acknowledged);
            assertThat(deadline.expiry()).isEmpty();
        }
        nowNs += 7 * SECOND;
        assertThat(deadline.sinceLastResponse()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void aTimeInWhichNothingWasOwedIsNoSilence() {
        nowNs += 3_600 * SECOND;
        deadline.restart();
        assertThat(deadline.sinceLastResponse()).isZero();

        nowNs += 3_600 * SECOND;
        deadline.beginWait();
        assertThat(deadline.expiry()).isEmpty();
    }

    @Test
    void aStoppedCaptureBearsAFewSecondsOfSilence() {
        deadline.beginWait();
        nowNs += 60 * SECOND;
        isStopped = true;
        assertThat(deadline.expiry()).isEmpty();
        nowNs += 5 * SECOND;
        assertThat(deadline.expiry()).contains("stopped, then no response for 5 s");
    }

    @Test
    void slowBrokersThatAcknowledgeGetAllTheTimeTheyNeedAfterTheStop() {
        deadline.beginWait();
        isStopped = true;
        assertThat(deadline.expiry()).isEmpty();
        for (int acknowledged = 1; acknowledged < 100; acknowledged++) {
            nowNs += 4 * SECOND;
            deadline.recordProgress(acknowledged);
            assertThat(deadline.expiry()).isEmpty();
        }
        nowNs += 5 * SECOND;
        assertThat(deadline.expiry()).contains("stopped, then no response for 5 s");
    }
}
