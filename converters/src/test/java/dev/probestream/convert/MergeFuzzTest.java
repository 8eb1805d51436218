package dev.probestream.convert;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPInputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Files that were cut off or damaged anywhere: merged as far as it goes, or refused by the one exception. */
class MergeFuzzTest {
    private static final Path NODE_TRACE = Path.of("src/test/resources/testdata/node-trace/node20.log.gz");
    private static final long SEED = 20_260_401;

    @TempDir
    private Path folder;

    @Test
    void jsonThatIsCutAnywhereKeepsItsWholeEvents() throws IOException {
        byte[] whole = json();
        Path trace = folder.resolve("t.log");
        Random random = new Random(SEED);
        for (int i = 0; i < 400; i++) {
            int length = i < 40 ? i : random.nextInt(whole.length);
            Files.write(trace, Arrays.copyOf(whole, length));
            long kept = merged(trace, "out.json");
            assertThat(kept).as("events of the first %d bytes", length).isLessThanOrEqualTo(wholeEvents(whole, length));
            if (length > 20) {
                assertThat(kept)
                        .as("events of the first %d bytes", length)
                        .isGreaterThanOrEqualTo(wholeEvents(whole, length) - 1);
            }
        }
    }

    @Test
    void damagedJsonIsMergedOrRefused() throws IOException {
        damage(Arrays.copyOf(json(), 6_000), "t.log");
    }

    @Test
    void damagedCompressedJsonIsMergedOrRefused() throws IOException {
        damage(Files.readAllBytes(NODE_TRACE), "t.log.gz");
    }

    @Test
    void damagedOrCutPerfettoTracesAreMergedOrRefused() throws IOException {
        Path perfetto = folder.resolve("whole.pftrace");
        MergeRecording.merge(folder, perfetto, RecordingRange.ALL, NODE_TRACE);
        byte[] whole = Files.readAllBytes(perfetto);
        damage(Arrays.copyOf(whole, 6_000), "t.pftrace");
        Random random = new Random(SEED);
        for (int i = 0; i < 100; i++) {
            Path trace = Files.write(folder.resolve("cut.pftrace"), Arrays.copyOf(whole, random.nextInt(whole.length)));
            merged(trace, "out.pftrace");
        }
    }

    private void damage(byte[] whole, String name) throws IOException {
        Path trace = folder.resolve(name);
        Random random = new Random(SEED);
        for (int i = 0; i < 200; i++) {
            byte[] broken = whole.clone();
            for (int j = random.nextInt(4); j >= 0; j--) {
                broken[random.nextInt(broken.length)] = (byte) random.nextInt(256);
            }
            Files.write(trace, broken);
            merged(trace, i % 2 == 0 ? "out.json" : "out.pftrace");
        }
    }

    /** How many events were merged; -1 = it was refused. Any other exception fails the test. */
    private long merged(Path trace, String output) throws IOException {
        Path recording = folder.resolve("recording.avro");
        if (!Files.exists(recording)) {
            MergeRecording.write(recording);
        }
        try {
            ConversionOutcome outcome = Conversion.run(
                    List.of(recording),
                    List.of(trace),
                    folder.resolve(output),
                    RecordingRange.ALL,
                    ConversionProgress.NONE);
            String[] words = outcome.warnings().get(0).split(" ");
            return Long.parseLong(words[1]);
        } catch (ConversionException e) {
            assertThat(e).hasMessageStartingWith("cannot merge " + trace);
            return -1;
        }
    }

    private static byte[] json() throws IOException {
        try (GZIPInputStream in = new GZIPInputStream(Files.newInputStream(NODE_TRACE))) {
            return in.readAllBytes();
        }
    }

    /** Events begin with their pid; the last one counts when it is followed by the next, or by the end. */
    private static long wholeEvents(byte[] bytes, int length) {
        String text = new String(bytes, 0, length, StandardCharsets.ISO_8859_1);
        return text.split("\\{\"pid\":", -1).length - 1L;
    }
}
