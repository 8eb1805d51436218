package dev.probestream.sink;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.schema.message.Topics;
import dev.probestream.sink.finish.SinkFormat;
import dev.probestream.sink.segment.Rolling;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(240)
class SinkTest {
    static final Rolling SECONDS =
            new Rolling(100_000, 1 << 20, Duration.ofSeconds(1), Duration.ofSeconds(30), Duration.ofSeconds(60));

    @TempDir
    private Path folder;

    private SinkTopics topics;
    private Path out;

    @BeforeEach
    void start() throws Exception {
        topics = SinkTopics.start(folder.resolve("broker"));
        out = folder.resolve("out");
    }

    @AfterEach
    void stop() {
        topics.close();
    }

    static List<Long> upTo(long count) {
        return LongStream.range(0, count).boxed().toList();
    }

    @Test
    void topicsMayHaveOtherNames() throws Exception {
        Topics names = Topics.ofPrefix("team-a");
        topics.named(names).make(2);
        topics.begin(1).events(1, 0, 100).end(1, 100);
        SinkRequest request = SinkRequest.catchUp(SinkFormat.PARQUET, out, topics.kafka(), SECONDS);

        assertThat(SinkThread.toItsEnd(request.of(names), new SinkLog()).eventsFinished())
                .isEqualTo(100);
        assertThat(SinkFiles.ofCapture(out, SinkFormat.PARQUET, 1)).isEqualTo(upTo(100));
    }

    @ParameterizedTest
    @EnumSource(SinkFormat.class)
    void everyEventIsInTheFilesOnce(SinkFormat format) throws Exception {
        topics.make(3);
        for (long capture = 1; capture <= 5; capture++) {
            topics.begin(capture);
        }
        for (long from = 0; from < 3_000; from += 100) {
            for (long capture = 1; capture <= 5; capture++) {
                topics.events(capture, from, from + 100);
            }
        }
        for (long capture = 1; capture <= 4; capture++) {
            topics.end(capture, 3_000); // the fifth was killed
        }
        SinkLog log = new SinkLog();

        SinkOutcome outcome = SinkThread.toItsEnd(SinkRequest.catchUp(format, out, topics.kafka(), SECONDS), log);

        for (long capture = 1; capture <= 5; capture++) {
            assertThat(SinkFiles.ofCapture(out, format, capture)).isEqualTo(upTo(3_000));
        }
        assertThat(outcome.eventsFinished()).isEqualTo(15_000);
        assertThat(outcome.segmentsFinished()).isEqualTo(15);
        assertThat(log.lines).allMatch(line -> line.startsWith("assigned") || line.startsWith("finished"));
        assertThat(SinkThread.toItsEnd(SinkRequest.catchUp(format, out, topics.kafka(), SECONDS), log)
                        .eventsFinished())
                .isZero();
    }

    @Test
    void metadataThatIsThereIsReadWithoutWaitingForMore() throws Exception {
        topics.make(1).begin(1).begin(2).begin(3);
        topics.events(1, 0, 10).events(2, 0, 10).events(3, 0, 10);
        topics.end(1, 10).end(2, 10).end(3, 10);
        Map<String, String> kafka = topics.kafka();
        // A broker that has nothing to send answers after this time, and what is asked next has to wait for it.
        kafka.put("fetch.max.wait.ms", "600000");
        kafka.put("request.timeout.ms", "700000");

        SinkOutcome outcome =
                SinkThread.toItsEnd(SinkRequest.catchUp(SinkFormat.PERFETTO, out, kafka, SECONDS), new SinkLog());

        assertThat(outcome.eventsFinished()).isEqualTo(30);
    }

    @Test
    void duplicatesGapsAndUnreadableMessagesAreReported() throws Exception {
        topics.make(1).begin(7).events(7, 0, 100).events(7, 50, 120).events(7, 150, 200);
        topics.message(7, new byte[] {1, 2, 3})
                .message(7, new byte[0])
                .events(7, 200, 300)
                .end(7, 300);
        topics.metadata("nonsense".getBytes(java.nio.charset.StandardCharsets.US_ASCII), new byte[] {1});
        topics.flush();
        SinkLog log = new SinkLog();

        SinkOutcome outcome =
                SinkThread.toItsEnd(SinkRequest.catchUp(SinkFormat.CHROME, out, topics.kafka(), SECONDS), log);

        assertThat(outcome.duplicates()).isEqualTo(50);
        assertThat(outcome.missing()).isEqualTo(30);
        assertThat(outcome.unreadable()).isEqualTo(2);
        assertThat(log.lines)
                .contains("gap 7 120 30")
                .anyMatch(line -> line.startsWith("unreadable 220 "))
                .anyMatch(line -> line.startsWith("unreadable 221 "))
                .anyMatch(line -> line.startsWith("unreadable metadata true"));
        assertThat(SinkFiles.ofCapture(out, SinkFormat.CHROME, 7))
                .isEqualTo(upTo(300).stream().filter(n -> n < 120 || n >= 150).toList());
    }

    @Test
    void aWindowHoldsWhatLiesInIt() throws Exception {
        topics.make(2).capture(1, 3_000).capture(2, 3_000);
        IncidentWindow window = new IncidentWindow(
                Set.of(2L),
                Optional.of(SinkTopics.START.plusMillis(500)),
                Optional.of(SinkTopics.START.plusMillis(2_500)));

        SinkThread.toItsEnd(
                SinkRequest.cut(SinkFormat.PERFETTO, out, topics.kafka(), Rolling.DEFAULT, window), new SinkLog());

        assertThat(SinkFiles.names(out)).singleElement().asString().startsWith("2/");
        assertThat(SinkFiles.ofCapture(out, SinkFormat.PERFETTO, 2))
                .isEqualTo(LongStream.range(500, 2_500).boxed().toList());
    }

    @Test
    void stacksThatComeLateAreWaitedFor() throws Exception {
        topics.make(1).begin(1);
        topics.event(1, 0, 77).events(1, 1, 2_000).flush();
        try (SinkThread sink =
                SinkThread.start(SinkRequest.follow(SinkFormat.PERFETTO, out, topics.kafka(), "group", SECONDS))) {
            sink.await(
                    "it waits for the stack",
                    Duration.ofSeconds(90),
                    () -> sink.log.waits.contains(dev.probestream.sink.SinkWait.METADATA));
            assertThat(sink.log.finished).isEmpty();
            topics.stack(1, 77).flush();
            sink.await("it continues", Duration.ofSeconds(60), () -> !sink.log.finished.isEmpty());
            assertThat(sink.log.finished.get(0).warnings()).isEmpty();
        }
    }

    @Test
    void anIdleCapturesLastSegmentIsClosedAfterAWhile() throws Exception {
        topics.make(1).begin(1).events(1, 0, 100).flush();
        Rolling rolling =
                new Rolling(1000, 1 << 20, Duration.ofSeconds(10), Duration.ofMillis(500), Duration.ofSeconds(1));
        try (SinkThread sink =
                SinkThread.start(SinkRequest.follow(SinkFormat.PERFETTO, out, topics.kafka(), "group", rolling))) {
            sink.await("the segment is there", Duration.ofSeconds(90), () -> !sink.log.finished.isEmpty());
            topics.events(1, 1_000, 1_010).flush();
            sink.await("the next is too", Duration.ofSeconds(90), () -> sink.log.finished.size() == 2);
            assertThat(sink.stop().droppedEvents()).isZero();
        }
        assertThat(SinkFiles.events(out, SinkFormat.PERFETTO).values())
                .containsExactly(
                        upTo(100), LongStream.range(1_000, 1_010).boxed().toList());
    }

    @Test
    void aLossIsShownInOneTraceOnly() throws Exception {
        topics.make(1)
                .begin(1)
                .loss(1, 500, 11)
                .events(1, 0, 3_000)
                .loss(1, 1_500, 22)
                .end(1, 3_000);
        SinkLog log = new SinkLog();

        SinkThread.toItsEnd(SinkRequest.catchUp(SinkFormat.PERFETTO, out, topics.kafka(), SECONDS), log);

        assertThat(log.finished.stream().flatMap(segment -> segment.warnings().stream()))
                .singleElement()
                .asString()
                .startsWith("33 events were lost");
    }

    @Test
    void sumsGapsAndCostsAreInOneTraceEachAndAllInTheTables() throws Exception {
        topics.make(1)
                .begin(1)
                .sums(1, 500, 70)
                .events(1, 0, 3_000)
                .sums(1, 1_500, 80)
                .end(1, 3_000);
        Path traces = out.resolve("traces");
        Path tables = out.resolve("tables");

        SinkThread.toItsEnd(SinkRequest.catchUp(SinkFormat.CHROME, traces, topics.kafka(), SECONDS), new SinkLog());
        SinkThread.toItsEnd(SinkRequest.catchUp(SinkFormat.PARQUET, tables, topics.kafka(), SECONDS), new SinkLog());

        assertThat(SinkFiles.timesInTraces(traces, "not watched")).isEqualTo(2 * 2); // begin and end
        assertThat(SinkFiles.timesInTraces(traces, "\"cost of all probes\"")).isEqualTo(2);
        assertThat(SinkFiles.timesInTraces(traces, "hits/s\",\"cat\"")).isEqualTo(2);
        assertThat(SinkFiles.value("SELECT sum(count) FROM '" + tables + "/hit_summaries/*.parquet'"))
                .isEqualTo(150);
        assertThat(SinkFiles.value("SELECT count(*) FROM '" + tables + "/gaps/*.parquet'"))
                .isEqualTo(2);
        assertThat(SinkFiles.value("SELECT sum(c.cost.hits) FROM (SELECT unnest(probes) AS cost FROM '" + tables
                        + "/costs/*.parquet') c"))
                .isEqualTo(150);
    }

    @Test
    void aTopicThatWasMadeAgainIsRefused() throws Exception {
        topics.make(1).capture(1, 100);
        SinkRequest request = SinkRequest.catchUp(SinkFormat.PERFETTO, out, topics.kafka(), SECONDS);
        SinkThread.toItsEnd(request, new SinkLog());
        topics.deleteEvents();
        topics.makeEvents();

        assertThatThrownBy(() -> SinkThread.toItsEnd(request, new SinkLog()))
                .isInstanceOf(SinkException.class)
                .hasMessageContaining("was deleted and made again");
        assertThat(SinkFiles.ofCapture(out, SinkFormat.PERFETTO, 1)).isEqualTo(upTo(100));
    }

    @Test
    void aFolderOfAnotherKindOfSinkIsRefused() throws Exception {
        topics.make(1).capture(1, 10);
        SinkThread.toItsEnd(SinkRequest.catchUp(SinkFormat.PERFETTO, out, topics.kafka(), SECONDS), new SinkLog());

        assertThatThrownBy(() -> SinkThread.toItsEnd(
                        SinkRequest.catchUp(SinkFormat.CHROME, out, topics.kafka(), SECONDS), new SinkLog()))
                .hasMessageContaining("it is filled with perfetto, but this is chrome");
    }

    @Test
    void whatRetentionDeletedIsReported() throws Exception {
        topics.make(1).begin(1).events(1, 0, 2_000).flush();
        Rolling thousand =
                new Rolling(1000, 1 << 20, Duration.ofMinutes(1), Duration.ofSeconds(30), Duration.ofSeconds(60));
        SinkRequest request = SinkRequest.catchUp(SinkFormat.PERFETTO, out, topics.kafka(), thousand);
        SinkThread.toItsEnd(request, new SinkLog());
        topics.events(1, 2_000, 4_000).flush();
        try (var admin = topics.admin()) {
            admin.deleteRecords(java.util.Map.of(
                            new org.apache.kafka.common.TopicPartition("probestream.events", 0),
                            org.apache.kafka.clients.admin.RecordsToDelete.beforeOffset(2_500)))
                    .all()
                    .get();
        }
        SinkLog log = new SinkLog();

        SinkOutcome outcome = SinkThread.toItsEnd(request, log);

        assertThat(outcome.lostToRetention()).isEqualTo(500);
        assertThat(log.lines).contains("lost 2000 2500", "gap 1 2000 500");
    }

    @Test
    void finishedFilesWithoutTheirPositionsAreNotTouched() throws Exception {
        topics.make(1).capture(1, 10);
        SinkRequest request = SinkRequest.catchUp(SinkFormat.PERFETTO, out, topics.kafka(), SECONDS);
        SinkThread.toItsEnd(request, new SinkLog());
        List<String> names = SinkFiles.names(out);
        Files.move(out.resolve(".probestream"), folder.resolve("gone"));

        assertThatThrownBy(() -> SinkThread.toItsEnd(request, new SinkLog()))
                .hasMessageContaining("their folder .probestream is missing");
        assertThat(SinkFiles.names(out)).isEqualTo(names);
    }
}
