package dev.probestream.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import org.junit.jupiter.api.Test;

class PipelineCountsTest {
    @Test
    void theSameNumberEverywhereIsAgreement() {
        assertThat(counts(100, true, 60).agree()).isTrue();
    }

    @Test
    void oneEventLessInAFileIsNone() {
        assertThat(counts(100, true, 59).agree()).isFalse();
    }

    @Test
    void oneEventMoreInAFileIsNone() {
        assertThat(counts(100, true, 61).agree()).isFalse();
    }

    @Test
    void aNumberThatCameTwiceIsNone() {
        assertThat(counts(100, false, 60).agree()).isFalse();
    }

    @Test
    void everyStationIsALine() {
        StringWriter text = new StringWriter();

        counts(1_000, true, 960).print(new PrintWriter(text));

        assertThat(text.toString().lines().map(String::strip))
                .containsExactly(
                        "",
                        "counted along the way",
                        "1,000 events recorded",
                        "1,000 acknowledged by Kafka",
                        "1,000 in its topic, each number once",
                        "1,000 in trace.pftrace",
                        "1,000 in trace.json",
                        "1,000 rows in Parquet: 40 spans, 960 other events");
    }

    /** Of {@code recorded} events, 40 are spans. */
    private static PipelineCounts counts(long recorded, boolean isContiguous, long eventRows) {
        return new PipelineCounts(recorded, recorded, recorded, isContiguous, recorded, recorded, eventRows, 40);
    }
}
