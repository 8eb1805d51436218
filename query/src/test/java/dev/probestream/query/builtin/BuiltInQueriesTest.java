package dev.probestream.query.builtin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.convert.ConversionProgress;
import dev.probestream.query.Limits;
import dev.probestream.query.QueryException;
import dev.probestream.query.RecordingFolder;
import dev.probestream.query.Recordings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Each ready view is asked of a recording whose answers can be reckoned by hand, see {@code recording.sql}. */
class BuiltInQueriesTest {
    private static final Path ANSWERS = Path.of("src/test/resources/dev/probestream/query/builtin/answers");
    private static final boolean IS_WRITING_ANSWERS = Boolean.getBoolean("probestream.answers.write");

    @TempDir
    private static Path folder;

    private static Recordings before;
    private static Recordings both;
    private static Recordings empty;

    @BeforeAll
    static void record() throws Exception {
        Path first = write("before", 7, 1);
        Path second = write("after", 8, 2);
        before = open(first);
        both = open(first, second);
        try (RecordingFolder nothing = RecordingFolder.create()) {
            nothing.execute("INSERT INTO captures BY NAME SELECT 9 AS capture_id, now() AS ts, 0 AS mono_ns");
            empty = open(nothing.write(folder.resolve("nothing")));
        }
    }

    @AfterAll
    static void close() throws QueryException {
        before.close();
        both.close();
        empty.close();
    }

    static List<BuiltInQuery> views() {
        return BuiltInQueries.load().all();
    }

    @ParameterizedTest
    @MethodSource("views")
    void answersWhatCanBeReckonedByHand(BuiltInQuery view) throws Exception {
        Recordings recordings = view.name().equals("compare") ? both : before;
        String answer = ask(view, recordings, Map.of()).text();
        Path file = ANSWERS.resolve(view.name() + ".txt");
        if (IS_WRITING_ANSWERS) {
            Files.writeString(file, answer);
        }
        assertThat(answer).isEqualTo(Files.readString(file));
    }

    @ParameterizedTest
    @MethodSource("views")
    void hasTheColumnsThatItDocuments(BuiltInQuery view) throws Exception {
        assertThat(ask(view, empty, Map.of()).columns())
                .isEqualTo(
                        view.columns().stream().map(BuiltInQuery.Column::name).toList());
        assertThat(view.title()).endsWith(".");
        assertThat(view.description()).isNotBlank();
    }

    @ParameterizedTest
    @MethodSource("views")
    void isEmptyWhereNothingWasRecorded(BuiltInQuery view) throws Exception {
        assertThat(ask(view, empty, Map.of()).rows()).isEmpty();
    }

    @Test
    void theIndexNamesEveryResource() throws Exception {
        try (Stream<Path> files = Files.list(Path.of("src/main/resources/dev/probestream/query/views"))) {
            assertThat(files.map(file -> file.getFileName().toString())
                            .filter(name -> name.endsWith(".sql"))
                            .map(name -> name.substring(0, name.length() - ".sql".length())))
                    .containsExactlyInAnyOrderElementsOf(
                            views().stream().map(BuiltInQuery::name).toList());
        }
    }

    @Test
    void parametersChooseWhatIsShown() throws Exception {
        BuiltInQueries views = BuiltInQueries.load();
        assertThat(ask(views.named("slowest-requests"), before, Map.of("limit", "1", "side", "CLIENT"))
                        .column("url"))
                .containsExactly("/rates");
        assertThat(ask(views.named("files"), before, Map.of("like", "%/b%")).column("path"))
                .containsExactly("/app/b.txt");
        assertThat(ask(views.named("loop-stalls"), before, Map.of("ms", "50")).column("busy_ms"))
                .containsExactly("100");
        assertThat(ask(views.named("stacks"), before, Map.of("probe", "sched_switch"))
                        .column("ms"))
                .containsExactly("290");
        assertThat(ask(views.named("errors"), before, Map.of("hide", "ENOENT")).column("error"))
                .contains("EAGAIN")
                .doesNotContain("ENOENT");
        assertThat(ask(views.named("load"), before, Map.of("seconds", "0.5")).rows())
                .hasSize(4);
    }

    private static Answer ask(BuiltInQuery view, Recordings recordings, Map<String, String> settings)
            throws QueryException, SQLException {
        view.prepare(recordings, settings);
        return Answer.of(recordings.connection(), view.sql());
    }

    private static Path write(String name, int capture, int factor) throws SQLException, IOException {
        try (RecordingFolder recording = RecordingFolder.create();
                var sql = BuiltInQueriesTest.class.getResourceAsStream("recording.sql")) {
            String text = new String(sql.readAllBytes(), StandardCharsets.UTF_8);
            recording.execute(
                    text.replace("$CAPTURE", String.valueOf(capture)).replace("$FACTOR", String.valueOf(factor)));
            return recording.write(folder.resolve(name));
        }
    }

    private static Recordings open(Path... paths) throws QueryException {
        return Recordings.open(List.of(paths), Limits.standard(), ConversionProgress.NONE);
    }
}
