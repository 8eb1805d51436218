package dev.probestream.collector.publish;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import org.junit.jupiter.api.Test;

class RetryDeadlineTest {
    private static final long SECOND = 1_000_000_000L;

    private long nowNs = 77 * SECOND;
    private boolean isStopped;
    private final RetryDeadline patience = new RetryDeadline(120 * SECOND, () -> isStopped, () -> nowNs);

    @Test
    void silenceIsBorneAsLongAsTheDeliveryMayTake() {
        patience.begin();
        nowNs += 120 * SECOND - 1;
        assertThat(patience.end()).isEmpty();
        nowNs += 1;
        assertThat(patience.end()).contains("no answer for 120 s");
    }

    @Test
    void everyAnswerBeginsTheSilenceAnew() {
        patience.begin();
        for (int acknowledged = 1; acknowledged < 10; acknowledged++) {
            nowNs += 100 * SECOND;
            patience.note(acknowledged);
            assertThat(patience.end()).isEmpty();
        }
        nowNs += 7 * SECOND;
        assertThat(patience.silence()).isEqualTo(Duration.ofSeconds(7));
    }

    @Test
    void aTimeInWhichNothingWasOwedIsNoSilence() {
        nowNs += 3_600 * SECOND;
        patience.nothingOwed();
        assertThat(patience.silence()).isZero();

        nowNs += 3_600 * SECOND;
        patience.begin();
        assertThat(patience.end()).isEmpty();
    }

    @Test
    void aStoppedCaptureBearsAFewSecondsOfSilence() {
        patience.begin();
        nowNs += 60 * SECOND;
        isStopped = true;
        assertThat(patience.end()).isEmpty();
        nowNs += 5 * SECOND;
        assertThat(patience.end()).contains("stopped, and then no answer for 5 s");
    }

    @Test
    void aStoppedCaptureIsNotHandedOverForEver() {
        patience.begin();
        isStopped = true;
        assertThat(patience.end()).isEmpty();
        for (int acknowledged = 1; acknowledged < 10; acknowledged++) {
            nowNs += 3 * SECOND;
            patience.note(acknowledged);
            assertThat(patience.end()).isEmpty();
        }
        nowNs += 3 * SECOND;
        patience.note(10);
        assertThat(patience.end()).contains("stopped, and not all was taken within 30 s");
    }
}
