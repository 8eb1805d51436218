package dev.probestream.sink.metadata;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.sink.metadata.CaptureIndex.Range;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.apache.kafka.common.Uuid;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class CaptureIndexTest {
    private static final Uuid TOPIC = new Uuid(1, 2);

    @TempDir
    private Path folder;

    private CaptureIndex open() throws IOException {
        return CaptureIndex.open(folder.resolve("index"), TOPIC, 7);
    }

    @Test
    void itKnowsWhatAMapKnowsAlsoAfterItWasOpenedAgain() throws Exception {
        Map<Long, Range> expected = new HashMap<>();
        Random random = new Random(12);
        long offset = 7;
        for (int opened = 0; opened < 4; opened++) {
            try (CaptureIndex index = open()) {
                assertThat(index.next()).isEqualTo(offset);
                for (int i = 0; i < 20_000; i++) {
                    long id = random.nextInt(8_000) - 100L; // also 0 and negative ids
                    if (random.nextInt(5) == 0) {
                        index.remove(id);
                        expected.remove(id);
                    } else {
                        long delivered = random.nextInt(10) == 0 ? random.nextInt(100) : -1;
                        index.add(id, offset, delivered);
                        expected.put(id, added(expected.get(id), offset, delivered));
                    }
                    index.setNext(++offset);
                }
                index.save();
            }
        }
        try (CaptureIndex index = open()) {
            for (long id = -100; id < 8_000; id++) {
                assertThat(index.find(id)).isEqualTo(Optional.ofNullable(expected.get(id)));
            }
            assertThat(index.from()).isEqualTo(7);
        }
    }

    private static Range added(@Nullable Range known, long offset, long delivered) {
        return known == null
                ? new Range(offset, offset, delivered)
                : new Range(known.first(), offset, Math.max(known.delivered(), delivered));
    }

    @Test
    void removedCapturesMakeRoomForOthers() throws Exception {
        try (CaptureIndex index = open()) {
            for (long id = 0; id < 100_000; id++) {
                index.add(id, id, 3);
                index.remove(id - 50);
            }
            index.save();
        }

        assertThat(Files.size(folder.resolve("index"))).isLessThan(64 * 1024);
    }

    @Test
    void changesThatWereNotSavedAreAddedAgain() throws Exception {
        CaptureIndex killed = open();
        killed.add(1, 10, -1);
        killed.setNext(11);
        killed.save();
        killed.add(1, 11, 5);
        killed.add(2, 12, -1);
        killed.setNext(13);
        killed.close();

        try (CaptureIndex index = open()) {
            assertThat(index.next()).isEqualTo(11);
            index.add(1, 11, 5);
            index.add(2, 12, -1);
            assertThat(index.find(1)).contains(new Range(10, 11, 5));
            assertThat(index.find(2)).contains(new Range(12, 12, -1));
        }
    }

    @Test
    void anotherTopicOrADamagedFileMakesAnEmptyIndex() throws Exception {
        Path path = folder.resolve("index");
        try (CaptureIndex index = open()) {
            index.add(1, 10, -1);
            index.setNext(11);
            index.save();
        }
        byte[] bytes = Files.readAllBytes(path);
        assertThat(CaptureIndex.exists(path, TOPIC)).isTrue();
        assertThat(CaptureIndex.exists(path, new Uuid(1, 3))).isFalse();
        for (byte[] damaged : new byte[][] {{}, new byte[64], Arrays.copyOf(bytes, 63), Arrays.copyOf(bytes, 1000)}) {
            Files.write(path, damaged);
            try (CaptureIndex index = open()) {
                assertThat(index.next()).isEqualTo(7);
                assertThat(index.find(1)).isEmpty();
            }
        }
    }
}
