package dev.probestream.cli.query.prompt;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.probestream.query.builtin.BuiltInQueries;
import dev.probestream.query.session.Relation;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jline.reader.Candidate;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.Parser.ParseContext;
import org.jline.terminal.Terminal;
import org.jline.terminal.impl.DumbTerminal;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Tab offers, and where what was typed is kept. */
class WordCompleterTest {
    private final WordCompleter completer = new WordCompleter(
            List.of(
                    new Relation("spans", List.of("pid", "duration_ns")),
                    new Relation("requests", List.of("url", "pid"))),
            BuiltInQueries.load().all());

    @Test
    void columnsAreThoseOfTheTablesThatAreNamed() throws Exception {
        assertThat(offered("SELECT du")).contains("duration_ns", "url", "SELECT", "spans");
        assertThat(offered("SELECT count(pid), sum(u FROM requests", 23))
                .contains("sum(url")
                .doesNotContain("sum(duration_ns");
        assertThat(offered("SELECT s.d FROM spans s", 10))
                .contains("s.duration_ns")
                .doesNotContain("s.SELECT", "s.url");
    }

    @Test
    void commandsAreOfferedBehindADot() throws Exception {
        assertThat(offered(".")).contains(".tables", ".view", ".quit").doesNotContain("SELECT");
        assertThat(offered(".view s")).contains("slowest-requests");
        assertThat(offered(".tables s")).containsExactly("spans", "requests");
    }

    @Test
    void historyIsKeptForItsOwnerOnly(@TempDir Path home) throws Exception {
        Path file = HistoryFile.prepare("", home.toString()).orElseThrow();
        assertThat(file).isEqualTo(home.resolve(".local/state/probestream/query_history"));
        assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
        assertThat(HistoryFile.prepare(home + "/state", "/nowhere"))
                .contains(home.resolve("state/probestream/query_history"));
        Path blocked = Files.writeString(home.resolve("file"), "");
        assertThatCode(() ->
                        assertThat(HistoryFile.prepare(blocked + "/x", "/")).isEmpty())
                .doesNotThrowAnyException();
    }

    private List<String> offered(String line) throws IOException {
        return offered(line, line.length());
    }

    private List<String> offered(String line, int cursor) throws IOException {
        List<Candidate> candidates = new ArrayList<>();
        try (Terminal terminal = new DumbTerminal(new ByteArrayInputStream(new byte[0]), new ByteArrayOutputStream())) {
            LineReader reader = LineReaderBuilder.builder().terminal(terminal).build();
            completer.complete(reader, new StatementParser().parse(line, cursor, ParseContext.COMPLETE), candidates);
        }
        return candidates.stream().map(Candidate::value).toList();
    }
}
