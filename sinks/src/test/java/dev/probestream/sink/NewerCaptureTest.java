package dev.probestream.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.schema.format.FormatStamp;
import dev.probestream.sink.finish.SinkFormat;
import dev.probestream.sink.metadata.NewerCaptureException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Captures that collectors of versions to come have published. */
@Timeout(240)
class NewerCaptureTest {
    /** A message with the fingerprint of an unknown schema. */
    private static final byte[] UNKNOWN = {(byte) 0xC3, 1, 1, 2, 3, 4, 5, 6, 7, 8, 0, 0};

    @TempDir
    private Path folder;

    private SinkTopics topics;
    private Path out;

    @BeforeEach
    void start() throws Exception {
        topics = SinkTopics.start(folder.resolve("broker")).make(1);
        out = folder.resolve("out");
    }

    @AfterEach
    void stop() {
        topics.close();
    }

    @Test
    void aSinkStopsBeforeACaptureOfANewerFormat() {
        topics.capture(1, 100).stamped("4.0", "3.1.0").capture(2, 100);
        assertStops(
                2,
                "it has format 4.0, written by Probestream 3.1.0, and this is Probestream " + FormatStamp.OWN.program()
                        + ", which reads"
                        + " format 3.x; update Probestream to 3.1.0 or newer");
        assertStops(2, "; the sink then continues here, with nothing lost or repeated");
    }

    @Test
    void othersCanBeReadMeanwhile() throws Exception {
        topics.stamped("4.0", "3.1.0")
                .capture(2, 100)
                .message(2, UNKNOWN)
                .stamped("3.0", "0.1.0")
                .capture(1, 100);
        IncidentWindow window = new IncidentWindow(Set.of(1L), Optional.empty(), Optional.empty());
        SinkThread.toItsEnd(
                SinkRequest.cut(SinkFormat.CHROME, out, topics.kafka(), SinkTest.SECONDS, window), new SinkLog());
        assertThat(SinkFiles.ofCapture(out, SinkFormat.CHROME, 1)).isEqualTo(SinkTest.upTo(100));
    }

    @Test
    void aNewerMinorVersionIsReadAsFarAsItsSchemasAreKnown() throws Exception {
        topics.stamped("3.9", "3.1.0").capture(1, 100);
        SinkThread.toItsEnd(catchUp(), new SinkLog());
        assertThat(SinkFiles.ofCapture(out, SinkFormat.CHROME, 1)).isEqualTo(SinkTest.upTo(100));

        topics.begin(2).message(2, UNKNOWN).flush();
        assertStops(2, "it has format 3.9, written by Probestream 3.1.0");
    }

    @Test
    void metadataOfAnUnknownSchemaStopsTheSinkToo() {
        topics.stamped("3.9", "3.1.0").begin(1).metadata("1/mystery/1".getBytes(StandardCharsets.US_ASCII), UNKNOWN);
        topics.events(1, 0, 10).flush();
        assertStops(1, "it has format 3.9, written by Probestream 3.1.0");
    }

    @Test
    void anUnknownSchemaOfOurOwnFormatIsSkippedAndCounted() throws Exception {
        topics.begin(1).message(1, UNKNOWN).events(1, 0, 10).end(1, 10);
        assertThat(SinkThread.toItsEnd(catchUp(), new SinkLog()).unreadable()).isEqualTo(1);
        assertThat(SinkFiles.ofCapture(out, SinkFormat.CHROME, 1)).isEqualTo(SinkTest.upTo(10));
    }

    @Test
    void metadataOfAnOlderFormatIsSkippedAndReported() throws Exception {
        topics.stamped("1.2", "0.0.9").begin(1).events(1, 0, 10).end(1, 10);
        topics.stamped("3.0", "0.1.0").capture(2, 10);
        SinkLog log = new SinkLog();
        SinkThread.toItsEnd(catchUp(), log);
        assertThat(log.lines)
                .anyMatch(line ->
                        line.startsWith("unreadable metadata true it has format 1.2, written by Probestream 0.0.9")
                                && line.endsWith("read it with Probestream 0.0.9, or record again"));
        assertThat(SinkFiles.ofCapture(out, SinkFormat.CHROME, 2)).isEqualTo(SinkTest.upTo(10));
    }

    private SinkRequest catchUp() {
        return SinkRequest.catchUp(SinkFormat.CHROME, out, topics.kafka(), SinkTest.SECONDS);
    }

    private void assertStops(long captureId, String reason) {
        assertThatThrownBy(() -> SinkThread.toItsEnd(catchUp(), new SinkLog()))
                .isInstanceOf(SinkException.class)
                .hasCauseInstanceOf(NewerCaptureException.class)
                .hasMessageStartingWith("the sink in " + out + " failed: cannot read capture " + captureId
                        + " in probestream.metadata: ")
                .hasMessageContaining(reason);
    }
}
