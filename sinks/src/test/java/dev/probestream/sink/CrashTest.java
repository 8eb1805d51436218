package dev.probestream.sink;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.sink.finish.FaultPoints;
import dev.probestream.sink.finish.SinkFormat;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Ends a sink before each of its steps in turn, and checks the folder after the next run. */
@Tag("deep")
@Timeout(600)
class CrashTest {
    private static final int EVENTS = 1_500;

    @TempDir
    private Path folder;

    private SinkTopics topics;

    @BeforeEach
    void start() throws Exception {
        topics = SinkTopics.start(folder.resolve("broker")).make(2);
        topics.begin(1).begin(2).begin(3);
        for (int from = 0; from < EVENTS; from += 50) {
            topics.events(1, from, from + 50).events(2, from, from + 50).events(3, from, from + 50);
        }
        topics.end(1, EVENTS).end(2, EVENTS);
    }

    @AfterEach
    void stop() {
        topics.close();
    }

    /** A crash, as near as it comes in one process: nothing after it runs but the giving back of locks. */
    private static final class Crash extends Error {
        private static final long serialVersionUID = 1L;
    }

    private static FaultPoints crashingAt(int crashingStep) {
        int[] steps = {0};
        return step -> {
            if (++steps[0] == crashingStep) {
                throw new Crash();
            }
        };
    }

    private SinkRequest request(SinkFormat format, Path out) {
        return SinkRequest.catchUp(format, out, topics.kafka(), SinkTest.SECONDS);
    }

    /** Whether it came to its end before that step. */
    private boolean runUntil(int crashingStep, SinkRequest request) throws Exception {
        try (SinkThread sink = SinkThread.start(request, crashingAt(crashingStep))) {
            sink.awaitEnd();
            return true;
        } catch (ExecutionException e) {
            assertThat(e.getCause()).isInstanceOf(Crash.class);
            return false;
        }
    }

    @ParameterizedTest
    @EnumSource(value = SinkFormat.class, names = "CHROME", mode = EnumSource.Mode.EXCLUDE)
    void afterACrashBeforeAnyStepTheFolderComesOutTheSame(SinkFormat format) throws Exception {
        Path undisturbed = folder.resolve("undisturbed");
        SinkThread.toItsEnd(request(format, undisturbed), new SinkLog());
        Map<String, List<Long>> expected = SinkFiles.events(undisturbed, format);
        assertThat(expected.values().stream().mapToInt(List::size).sum()).isEqualTo(3 * EVENTS);

        int step = 1;
        while (true) {
            Path out = folder.resolve("crashed-" + step);
            boolean isWhole = runUntil(step, request(format, out));
            SinkThread.toItsEnd(request(format, out), new SinkLog());

            assertThat(SinkFiles.events(out, format)).as("step " + step).isEqualTo(expected);
            if (format == SinkFormat.PARQUET) {
                assertThat(bytes(out)).as("step " + step).isEqualTo(bytes(undisturbed));
            }
            if (isWhole) {
                break;
            }
            step += format == SinkFormat.PARQUET ? 3 : 1; // it has many files, and so many steps
        }
        assertThat(step).isGreaterThan(20);
    }

    @ParameterizedTest
    @EnumSource(value = SinkFormat.class, names = "CHROME", mode = EnumSource.Mode.EXCLUDE)
    void aSinkOnAnOlderCopyOfTheFolderMakesTheSameFilesAgain(SinkFormat format) throws Exception {
        Path out = folder.resolve("out");
        runUntil(12, request(format, out));
        Path older = folder.resolve("older");
        copy(out, older);
        SinkThread.toItsEnd(request(format, out), new SinkLog());

        SinkThread.toItsEnd(request(format, older), new SinkLog());

        assertThat(SinkFiles.events(older, format)).isEqualTo(SinkFiles.events(out, format));
        if (format == SinkFormat.PARQUET) {
            assertThat(bytes(older)).isEqualTo(bytes(out));
        }
    }

    private static Map<String, Integer> bytes(Path out) throws IOException {
        Map<String, Integer> hashes = new HashMap<>();
        for (String name : SinkFiles.names(out)) {
            hashes.put(name, java.util.Arrays.hashCode(Files.readAllBytes(out.resolve(name))));
        }
        return hashes;
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> paths = Files.walk(from)) {
            for (Path path : paths.toList()) {
                Files.copy(path, to.resolve(from.relativize(path).toString()));
            }
        }
    }
}
