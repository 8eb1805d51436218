package dev.probestream.collector.internal.sourcemap;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Mutated maps give a map or {@link SourceMapException}, and nothing else; so do mutated URLs. */
class SourceMapFuzzTest {
    private static final Path FOLDER = Path.of("src/test/resources/testdata/sourcemap");
    private static final int ROUNDS = 20_000;

    @Test
    void mutatedMapsEndOrAreRefused() throws IOException {
        Random random = new Random(20);
        List<byte[]> maps = List.of(
                Files.readAllBytes(FOLDER.resolve("tsc/app.js.map")),
                Files.readAllBytes(FOLDER.resolve("bundle/app.js.map")),
                ("{\"version\":3,\"sections\":[{\"offset\":{\"line\":0,\"column\":0},\"map\":"
                                + Files.readString(FOLDER.resolve("root/basket.js.map")) + "}]}")
                        .getBytes(StandardCharsets.UTF_8));
        int read = 0;
        for (int round = 0; round < ROUNDS; round++) {
            byte[] map = maps.get(round % maps.size()).clone();
            for (int changes = random.nextInt(4); changes >= 0; changes--) {
                map[random.nextInt(map.length)] =
                        (byte) (random.nextBoolean() ? random.nextInt(256) : map[random.nextInt(map.length)]);
            }
            int length = random.nextInt(10) == 0 ? random.nextInt(map.length) : map.length;
            try {
                SourceMap result = SourceMapReader.read(
                        new ByteArrayInputStream(map, 0, length), source -> SourceUrl.resolve("/app/a", source));
                Optional<SourceLocation> location = result.locate(1 + random.nextInt(40), 1 + random.nextInt(90));
                assertThat(location.map(SourceLocation::line).orElse(1)).isPositive();
                read++;
            } catch (SourceMapException e) {
                assertThat(e.getMessage()).isNotEmpty().doesNotContain("mappings\"");
            }
        }
        assertThat(read).as("maps of %s that were read", ROUNDS).isBetween(ROUNDS / 20, ROUNDS);
    }

    @Test
    void urlsOfAnyCharactersGiveAPathOrNothing() {
        Random random = new Random(21);
        String characters = "abc/.:%?#,;0f é\u0000";
        List<String> starts =
                List.of("", "file:", "file://", "data:", "data:;base64,", "/", "../", "data:a;base64,", "//");
        for (int round = 0; round < ROUNDS; round++) {
            StringBuilder url = new StringBuilder(starts.get(random.nextInt(starts.size())));
            for (int length = random.nextInt(20); length > 0; length--) {
                url.append(characters.charAt(random.nextInt(characters.length())));
            }
            assertThat(SourceUrl.resolve("/app/dist/a.js", url.toString())).isNotNull();
            assertThat(SourceUrl.pathOf(url.toString())).isNotNull();
            assertThat(SourceUrl.data(url.toString())).isNotNull();
        }
    }
}
