package dev.probestream.collector.internal.sourcemap;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.internal.event.Warnings;
import dev.probestream.collector.internal.process.TargetRoot;
import dev.probestream.collector.internal.v8.NodeExecutables;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Maps beside scripts and in them, as compilers write them; what Node prints with {@code --enable-source-maps} is right. */
class SourceMapsTest {
    private static final Path FOLDER =
            Path.of("src/test/resources/testdata/sourcemap").toAbsolutePath();
    private static final Pattern PLACE = Pattern.compile("\\(?(/[^()]*):(\\d+):(\\d+)\\)?$");
    private static final Pattern COMMENT = Pattern.compile("//# sourceMappingURL=(\\S+)\\s*$");
    private static final String SMALL = "{\"version\":3,\"sources\":[\"a.ts\"],\"mappings\":\"AAEA\"}";

    private final Warnings warnings = new Warnings();
    private final SourceMaps maps = new SourceMaps(warnings);
    private final SourceMaps.Origin origin = new SourceMaps.Origin(TargetRoot.ours(), Long.MAX_VALUE);

    @TempDir
    private Path folder = Path.of("");

    /** A line of a stack as Node prints it. */
    private record Place(String file, int line, int column) {}

    @ParameterizedTest
    @ValueSource(strings = {"tsc", "inline", "root", "bundle"})
    void everyFrameIsWhereNodePutsIt(String compiled) throws Exception {
        for (Path node : NodeExecutables.all()) {
            List<Place> scripts = stack(node.toString(), FOLDER + "/" + compiled + "/app.js");
            List<Place> sources = stack(node.toString(), "--enable-source-maps", FOLDER + "/" + compiled + "/app.js");
            List<String> located = new ArrayList<>();
            for (Place script : scripts) {
                String url = mappingUrl(Path.of(script.file));
                located.add(maps.locate(origin, script.file, url, script.line, script.column)
                        .map(location -> location.file() + ":" + location.line())
                        .orElse("nowhere"));
            }
            assertThat(scripts).hasSize(6);
            assertThat(located)
                    .containsExactlyElementsOf(sources.stream()
                            .map(place -> place.file + ":" + place.line)
                            .toList());
        }
        assertThat(warnings.take()).isEmpty();
    }

    private static List<Place> stack(String... command) throws IOException, InterruptedException {
        Process node = new ProcessBuilder(command).redirectErrorStream(true).start();
        String output = new String(node.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(node.waitFor()).as(output).isZero();
        List<Place> places = new ArrayList<>();
        for (String line : output.lines().toList()) {
            Matcher place = PLACE.matcher(line);
            if (place.find()) {
                places.add(
                        new Place(place.group(1), Integer.parseInt(place.group(2)), Integer.parseInt(place.group(3))));
            }
        }
        return places;
    }

    private static String mappingUrl(Path script) throws IOException {
        Matcher comment = COMMENT.matcher(Files.readString(script));
        assertThat(comment.find()).as("%s has a map", script).isTrue();
        return comment.group(1);
    }

    @Test
    void sourcesInsideAScriptOfEvalAreAsTheMapNamesThem() {
        assertThat(maps.locate(origin, "evalmachine.<anonymous>", "data:application/json," + SMALL, 1, 1))
                .contains(new SourceLocation("a.ts", 3));
    }

    @Test
    void aMapThatIsNotThereIsNoFailure() {
        assertThat(locate("a.js", "a.js.map")).isEmpty();
        assertThat(locate("a.js", "https://cdn.example/a.js.map")).isEmpty();
        assertThat(locate("a.js", "")).isEmpty();
        assertThat(maps.locate(origin, "node:fs", "a.js.map", 1, 1)).isEmpty();
        assertThat(warnings.take()).isEmpty();
    }

    @Test
    void mapsThatCannotBeReadAreNamedOnce() throws IOException {
        Files.writeString(folder.resolve("secret.map"), "password");
        Files.createDirectory(folder.resolve("folder.map"));
        try (RandomAccessFile large =
                new RandomAccessFile(folder.resolve("large.map").toFile(), "rw")) {
            large.setLength(65 << 20);
        }
        for (int times = 0; times < 2; times++) {
            assertThat(locate("a.js", "secret.map")).isEmpty();
            assertThat(locate("a.js", "folder.map")).isEmpty();
            assertThat(locate("a.js", "large.map")).isEmpty();
            assertThat(locate("a.js", "/proc/kcore")).isEmpty();
            assertThat(locate("a.js", "data:,x")).isEmpty();
        }
        assertThat(warnings.take())
                .containsExactly(
                        "the source map " + folder
                                + "/secret.map is not used: its JSON is wrong or too large, at byte 0",
                        "the source map " + folder + "/folder.map is not used: it is no regular file",
                        "the source map " + folder + "/large.map is not used: it is larger than 64 MB",
                        "the source map in " + folder + "/a.js is not used: its JSON is wrong or too large, at byte 0");
    }

    @Test
    void aMapYoungerThanTheProcessIsUsedWithAWarning() throws IOException {
        Files.writeString(folder.resolve("a.js.map"), SMALL);
        assertThat(maps.locate(new SourceMaps.Origin(TargetRoot.ours(), 1), folder + "/a.js", "a.js.map", 1, 1))
                .contains(new SourceLocation(folder + "/a.ts", 3));
        assertThat(warnings.take()).singleElement().asString().contains("is younger than the process that uses it");
    }

    @Test
    void mapsAreKeptUpToALimitAndReadAgain() throws IOException {
        SourceMaps few = new SourceMaps(warnings, 1000);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 10; i++) {
                Files.writeString(folder.resolve(i + ".map"), SMALL);
                assertThat(few.locate(origin, folder + "/" + i + ".js", i + ".map", 1, 1))
                        .contains(new SourceLocation(folder + "/a.ts", 3));
                assertThat(few.sizeBytes()).isLessThanOrEqualTo(1000);
            }
        }
    }

    /** Files are those of the container, and sources have the names that they have there. */
    @Test
    void filesAreReadThroughTheRootOfTheProcess() throws IOException {
        Process sleeper = new ProcessBuilder(
                        "unshare",
                        "--mount",
                        "--",
                        "sh",
                        "-c",
                        "mount -t tmpfs none " + folder + " && echo '" + SMALL + "' > " + folder
                                + "/a.js.map && echo ready && exec sleep 600")
                .start();
        try {
            int read = sleeper.getInputStream().read();
            Assumptions.assumeTrue(read == 'r', "needs the right to mount");
            SourceMaps.Origin inside = new SourceMaps.Origin(TargetRoot.of((int) sleeper.pid()), Long.MAX_VALUE);
            assertThat(maps.locate(inside, folder + "/a.js", "a.js.map", 1, 1))
                    .contains(new SourceLocation(folder + "/a.ts", 3));
            assertThat(locate("a.js", "a.js.map")).isEmpty();
        } finally {
            sleeper.destroyForcibly();
        }
    }

    private Optional<SourceLocation> locate(String script, String url) {
        return maps.locate(origin, folder + "/" + script, url, 1, 1);
    }
}
