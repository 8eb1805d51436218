package dev.probestream.convert.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.request.Request.Outcome;
import dev.probestream.convert.request.split.TimeSplit;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Whatever is lost, late or senseless: every request is handed out once, and its time adds up. */
class RandomRequestsTest {
    private static final String[] LINES = {
        "HTTP/1.1 200 OK",
        "HTTP/1.1 100 Continue",
        "HTTP/1.1 101 Switching Protocols",
        "GET /c HTTP/1.1",
        "CONNECT h:1",
        "",
        "HTTP/1.1",
        "nonsense"
    };

    static LongStream seeds() {
        return LongStream.range(0, 100);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void senselessHitsAddUp(long seed) throws IOException {
        Random random = new Random(seed);
        Scenario story = new Scenario();
        long nowNs = 0;
        for (int i = 0; i < 400; i++) {
            nowNs += random.nextInt(20);
            addSenseless(story.at(nowNs).on(100 + random.nextInt(3)), random);
        }
        check(story, inOrder(story), nowNs);
    }

    private static void addSenseless(Scenario story, Random random) {
        if (random.nextBoolean()) {
            story.lasting(random.nextInt(60));
        }
        long stream = 0x1000L + random.nextInt(3);
        long parser = 0x2000L + random.nextInt(3);
        long job = 0x9000L + random.nextInt(3);
        switch (random.nextInt(22)) {
            case 0, 1 -> story.streamBegin(stream);
            case 2 -> story.streamEnd();
            case 3 -> story.accept(stream, "r", "l");
            case 4 -> story.connect(stream, "r");
            case 5 -> story.connected(stream);
            case 6 -> story.read(stream, random.nextInt(100) - 20);
            case 7 -> story.returning(random.nextInt(3) - 1).write(stream, random.nextInt(100));
            case 8 -> story.close(stream);
            case 9 -> story.data(stream, random.nextInt(100) - 20, LINES[random.nextInt(LINES.length)]);
            case 10 -> story.httpBegin(parser, random.nextInt(3));
            case 11 -> story.httpUrl(parser, "/x");
            case 12 -> story.requestHeaders(parser, random.nextInt(50), random.nextInt(64));
            case 13 -> story.answerHeaders(parser, 100 * random.nextInt(6), random.nextInt(64));
            case 14 -> story.httpEnd(parser);
            case 15 -> story.line(stream, LINES[random.nextInt(LINES.length)]);
            case 16 -> story.submit(job);
            case 17 -> story.work(job);
            case 18 -> story.done(job);
            case 19 -> story.poll();
            case 20 -> story.gc();
            default -> story.switchTo(100 + random.nextInt(3));
        }
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void whatIsLostOrLateDoesNoHarm(long seed) throws IOException {
        Random random = new Random(seed);
        Scenario story = new Scenario();
        long endNs = addServer(story, random);
        List<ScenarioHit> hits = inOrder(story);
        int losses = random.nextInt(4);
        hits.removeIf(hit -> random.nextInt(20) < losses);
        for (int i = 0; i < random.nextInt(60); i++) {
            int at = random.nextInt(hits.size() - 5);
            Collections.swap(hits, at, at + random.nextInt(5));
        }
        check(story, hits, endNs);
        hits.sort(Comparator.comparingLong(hit -> hit.atNs() + Math.max(0, hit.durationNs())));
        check(story, hits, endNs);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void ifNothingIsLostEveryRequestIsTold(long seed) throws IOException {
        Scenario story = new Scenario();
        long endNs = addServer(story, new Random(seed));
        Scenario.Result result = check(story, inOrder(story), endNs);
        assertThat(result.requests())
                .filteredOn(request -> request.status() == 200)
                .hasSize(80);
        assertThat(result.requests()).extracting(Request::outcome).containsOnly(Outcome.COMPLETE);
        assertThat(result.requests())
                .filteredOn(request -> request.side() == Request.Side.CLIENT)
                .allSatisfy(request -> assertThat(request.parentNumber()).isPositive());
    }

    /** Forty requests, each of which lets the pool work and asks another server; several at a time. */
    private static long addServer(Scenario story, Random random) {
        long endNs = 0;
        for (int i = 0; i < 40; i++) {
            // The loop does one thing after the other, and so do the requests here; their waiting overlaps.
            long stream = 0x1000L + 16L * (i % 5);
            long upstream = 0x5000L + 16L * i;
            long parser = 0x2000L + i % 5;
            long job = 0x9000L + i % 5;
            long fromNs = 1000L * i + random.nextInt(100);
            story.on(Scenario.LOOP)
                    .at(fromNs)
                    .streamBegin(stream)
                    .at(fromNs + 1)
                    .read(stream, 50);
            story.at(fromNs + 2).get(parser, "/" + i).at(fromNs + 10).lasting(3).submit(job);
            story.at(fromNs + 20).lasting(5).gc().at(fromNs + 30).streamEnd();
            story.on(Scenario.POOL + i % 2)
                    .at(fromNs + 40 + random.nextInt(20))
                    .lasting(1200)
                    .work(job);
            story.on(Scenario.LOOP).at(fromNs + 3300).lasting(60).done(job);
            story.at(fromNs + 3310)
                    .lasting(2)
                    .connect(upstream, "u")
                    .at(fromNs + 3380)
                    .streamBegin(upstream);
            story.at(fromNs + 3381)
                    .lasting(3)
                    .write(upstream, 9)
                    .at(fromNs + 3382)
                    .line(upstream, "GET /u HTTP/1.1");
            story.at(fromNs + 3383)
                    .streamEnd()
                    .at(fromNs + 3600)
                    .streamBegin(upstream)
                    .at(fromNs + 3602)
                    .read(upstream, 7);
            story.at(fromNs + 3603)
                    .answer(0x8000L + i, 200)
                    .at(fromNs + 3610)
                    .lasting(5)
                    .write(stream, 99);
            story.at(fromNs + 3611)
                    .line(stream, "HTTP/1.1 200 OK")
                    .at(fromNs + 3620)
                    .close(upstream);
            story.at(fromNs + 3630).streamEnd();
            endNs = fromNs + 4000;
        }
        return endNs;
    }

    private static List<ScenarioHit> inOrder(Scenario story) {
        List<ScenarioHit> hits = new ArrayList<>(story.hits());
        hits.sort(Comparator.comparingLong(ScenarioHit::atNs));
        return hits;
    }

    private static Scenario.Result check(Scenario story, List<ScenarioHit> hits, long endNs) throws IOException {
        long finishNs =
                Math.max(endNs, hits.stream().mapToLong(ScenarioHit::atNs).max().orElse(0));
        Scenario.Result result = story.assemble(hits, finishNs);
        assertThat(result.requests()).extracting(Request::number).doesNotHaveDuplicates();
        long last = result.requests().size();
        assertThat(result.requests()).allSatisfy(request -> {
            assertThat(request.number()).isBetween(1L, last);
            assertThat(request.endNs() == -1).isEqualTo(request.outcome() == Outcome.OPEN);
            long upToNs = request.outcome() == Outcome.OPEN ? finishNs : request.endNs();
            assertThat(sum(request.split())).isEqualTo(upToNs - request.startNs());
            assertThat(upToNs).isGreaterThanOrEqualTo(request.startNs());
        });
        return result;
    }

    private static long sum(TimeSplit split) {
        long[] parts = {
            split.javascriptNs(),
            split.gcNs(),
            split.offCpuNs(),
            split.loopWaitNs(),
            split.poolQueueNs(),
            split.poolRunNs(),
            split.networkNs(),
            split.unattributedNs()
        };
        assertThat(LongStream.of(parts).min().orElseThrow()).isGreaterThanOrEqualTo(-1);
        return LongStream.of(parts).map(part -> Math.max(0, part)).sum();
    }
}
