package dev.probestream.collector.internal.sourcemap;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Source maps written by hand; the numbers of {@code mappings} are explained in {@link Mappings}. */
class SourceMapTest {
    /** Line 1: column 0 -> a.ts 1, 8 -> a.ts 2, 16 -> none, 24 -> b.ts 1; line 2: nothing; line 3: column 4 -> b.ts 3. */
    private static final String MAPPINGS = "AAAA,QACA,Q,QCDA;;IAEA";

    private static final String MAP =
            "{\"version\":3,\"sources\":[\"a.ts\",\"../b.ts\"],\"names\":[],\"mappings\":\"" + MAPPINGS + "\"}";

    private static SourceMap read(String json) throws IOException, SourceMapException {
        return SourceMapReader.read(
                new ByteArrayInputStream(json.getBytes(StandardCharsets.UTF_8)),
                source -> SourceUrl.resolve("/app/dist/a.js.map", source));
    }

    private static String at(SourceMap map, int line, int column) {
        Optional<SourceLocation> location = map.locate(line, column);
        return location.map(found -> found.file() + ":" + found.line()).orElse("");
    }

    @Test
    void aPlaceIsThatOfTheStretchThatBeginsBefore() throws Exception {
        SourceMap map = read(MAP);

        assertThat(at(map, 1, 1)).isEqualTo("/app/dist/a.ts:1");
        assertThat(at(map, 1, 8)).isEqualTo("/app/dist/a.ts:1");
        assertThat(at(map, 1, 9)).isEqualTo("/app/dist/a.ts:2");
        assertThat(at(map, 1, 17)).isEmpty();
        assertThat(at(map, 1, 25)).isEqualTo("/app/b.ts:1");
        assertThat(at(map, 1, Integer.MAX_VALUE)).isEqualTo("/app/b.ts:1");
        assertThat(at(map, 3, 5)).isEqualTo("/app/b.ts:3");
    }

    @Test
    void placesThatTheMapDoesNotTellAreEmpty() throws Exception {
        SourceMap map = read(MAP);

        assertThat(at(map, 2, 1)).isEmpty(); // not the last stretch of line 1
        assertThat(at(map, 3, 4)).isEmpty();
        assertThat(at(map, 4, 1)).isEmpty();
        assertThat(at(map, 0, 1)).isEmpty();
        assertThat(at(map, 1, 0)).isEmpty();
        assertThat(at(map, Integer.MAX_VALUE, 1)).isEmpty();
    }

    @Test
    void sourceRootStandsBeforeSourcesAlsoIfItComesLast() throws Exception {
        assertThat(at(
                        read("{\"mappings\":\"AAAA\",\"sources\":[\"a.ts\"],\"sourceRoot\":\"../src\",\"version\":3}"),
                        1,
                        1))
                .isEqualTo("/app/src/a.ts:1");
        assertThat(at(read("{\"version\":3,\"mappings\":\"AAAA\",\"sources\":[\"webpack:///./src/a%20b.ts\"]}"), 1, 1))
                .isEqualTo("webpack:///./src/a%20b.ts:1");
    }

    @Test
    void sectionsStandWhereTheirOffsetsAre() throws Exception {
        SourceMap map = read("{\"version\":3,\"sections\":["
                + "{\"offset\":{\"line\":0,\"column\":0},\"map\":{\"version\":3,\"sources\":[\"a.ts\"],\"mappings\":\"AAAA;AACA\"}},"
                + "{\"offset\":{\"line\":1,\"column\":10},\"map\":"
                + "{\"version\":3,\"sources\":[\"b.ts\"],\"mappings\":\"AAAA;AACA\"}}]}");

        assertThat(at(map, 1, 1)).isEqualTo("/app/dist/a.ts:1");
        assertThat(at(map, 2, 10)).isEqualTo("/app/dist/a.ts:2");
        assertThat(at(map, 2, 11)).isEqualTo("/app/dist/b.ts:1");
        assertThat(at(map, 3, 1)).isEqualTo("/app/dist/b.ts:2");
    }

    @Test
    void aSourceThatIsNullIsNoPlace() throws Exception {
        assertThat(at(read("{\"version\":3,\"mappings\":\"AAAA,CCAA\",\"sources\":[null,\"a.ts\"]}"), 1, 1))
                .isEmpty();
    }

    /** Columns 0, 10, 5: from what was joined it is unknown where each stretch ends. */
    @Test
    void aLineOutOfOrderIsLeftOut() throws Exception {
        SourceMap map = read("{\"version\":3,\"mappings\":\"AAAA,UAAA,LACA,UAAA;AACA\",\"sources\":[\"a.ts\"]}");

        assertThat(at(map, 1, 1)).isEmpty();
        assertThat(at(map, 1, 30)).isEmpty();
        assertThat(at(map, 2, 1)).isEqualTo("/app/dist/a.ts:3");
    }

    @Test
    void whatIsNoSourceMapIsRefusedWithoutQuotingIt() {
        assertRefused("root:x:0:0", "its JSON is wrong or too large, at byte 0");
        assertRefused("[]", "it is not an object of JSON");
        assertRefused("{\"version\":2,\"mappings\":\"\"}", "it has no version 3");
        assertRefused("{\"version\":3}", "it has no mappings");
        assertRefused("{\"version\":3,\"mappings\":\"AAA\",\"sources\":[]}", "character 3 of its mappings is wrong");
        assertRefused("{\"version\":3,\"mappings\":\"A!\",\"sources\":[]}", "character 2 of its mappings is wrong");
        assertRefused(
                "{\"version\":3,\"mappings\":\"DAAA\",\"sources\":[\"\"]}", "character 1 of its mappings is wrong");
        assertRefused("{\"version\":3,\"mappings\":\"gggggggggA\",\"sources\":[]}", "of its mappings is wrong");
        assertRefused(
                "{\"version\":3,\"mappings\":\"AAAAAA\",\"sources\":[\"\"]}", "character 6 of its mappings is wrong");
        assertRefused("{\"version\":3,\"mappings\":\"ACAA\",\"sources\":[\"a\"]}", "a place has source 1 of 1");
        assertRefused(
                "{\"version\":3,\"sections\":[{\"offset\":{\"line\":1,\"column\":0},\"map\":"
                        + MAP
                        + "},{\"offset\":{\"line\":0,\"column\":0},\"map\":"
                        + MAP
                        + "}]}",
                "its sections are not in order");
    }

    @Test
    void aMapThatExceedsALimitIsRefused() {
        assertRefused(
                "{\"version\":3,\"mappings\":\"" + ";".repeat(SourceMap.Builder.MAX_LINES) + "\"}",
                "more than 4194304 lines");
        assertRefused(
                "{\"version\":3,\"sources\":[\"a\"],\"mappings\":\""
                        + "CACA,".repeat(SourceMap.Builder.MAX_STRETCHES + 1)
                        + "\"}",
                "more than " + SourceMap.Builder.MAX_STRETCHES + " places");
        assertRefused(
                "{\"version\":3,\"x\":" + "[".repeat(100) + "]".repeat(100) + "}", "its JSON is wrong or too large");
        assertRefused("{\"version\":3,\"sources\":[" + "\"\",".repeat(1 << 18) + "\"\"]}", "more than 262144 sources");
        assertRefused(
                "{\"version\":3,\"sources\":[\"" + "a".repeat(17 << 20) + "\"]}", "its sources have too long names");
    }

    /** What differs only in columns of the source is one stretch. */
    @Test
    void memoryIsThatOfTheLinesNotOfTheNames() throws Exception {
        SourceMap map =
                read("{\"version\":3,\"sources\":[\"a\"],\"mappings\":\"AAAA" + ",CAAC".repeat(1 << 20) + "\"}");

        assertThat(map.sizeBytes()).isLessThan(1000);
        assertThat(at(map, 1, 1 << 20)).isEqualTo("/app/dist/a:1");
    }

    private static void assertRefused(String json, String message) {
        assertThatThrownBy(() -> read(json))
                .isInstanceOf(SourceMapException.class)
                .hasMessageContaining(message);
    }
}
