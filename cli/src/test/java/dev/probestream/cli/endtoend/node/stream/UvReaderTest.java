package dev.probestream.cli.endtoend.node.stream;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.LineProgram;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.cli.endtoend.fixture.RecordedFile.RecordedEvent;
import dev.probestream.cli.node.NodeBinary;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A read from a socket has who reads the stream: JavaScript, a TLS session, or the parser of an HTTP server before, in and behind
 * requests that come in pieces, on the main thread and in a worker; and a filter compares it.
 */
@KernelTest(since = "5.17")
class UvReaderTest {
    private static final String NODES = "dev.probestream.cli.endtoend.fixture.NodeVersions#all";
    private static final String APPLICATION = "/testdata/node/readers.js";
    private static final String READ = "syscall:read(fd=arg1:s32, reader=arg1:uvreader at return, ret:s64) /ret > 0/";
    private static final String BEGINNING =
            "syscall:read(begun=arg1:s32, by=arg1:uvreader at return, ret:s64) /by == 2 && ret > 0/";
    private static final String CALL = "uprobe:libc.so.6:read(called=arg1:s32, caller=arg1:uvreader) /caller != 0/";

    private static final Pattern PIECE = Pattern.compile("\\[(\\d+),(\\d+),(\\d+)\\]");
    private static final long BETWEEN_MESSAGES = 2;

    @TempDir
    private Path folder;

    /** What a socket has been sent at once. */
    private record Piece(long fd, long sizeBytes, long reader) {}

    @ParameterizedTest
    @MethodSource(NODES)
    void readsHaveWhoReadsTheStream(NodeBinary node) throws Exception {
        Path file = folder.resolve("readers.avro");
        List<Piece> sent;
        try (LineProgram application = start(node)) {
            sent = record(application, file);
        }
        RecordedFile recorded = RecordedFile.read(file);

        assertThat(recorded.lost()).isZero();
        assertThat(sent).isNotEmpty();
        Set<Object> sockets = sent.stream().map(Piece::fd).collect(Collectors.toSet());
        List<RecordedEvent> events = recorded.events().stream()
                .sorted(Comparator.comparingLong(RecordedEvent::timestampNs))
                .toList();
        assertThat(of(events, "fd", sockets, event -> piece(event, "fd", "reader")))
                .isEqualTo(sent);
        assertThat(of(events, "begun", sockets, event -> piece(event, "begun", "by")))
                .isEqualTo(sent.stream()
                        .filter(piece -> piece.reader == BETWEEN_MESSAGES)
                        .toList());
        assertThat(of(events, "called", sockets, event -> event.argument("caller")))
                .as("before the read it is the same")
                .containsAll(sent.stream().map(Piece::reader).toList());
    }

    /** Of the events that have this argument, and in it one of the sockets. */
    private static <T> List<T> of(
            List<RecordedEvent> events, String argument, Set<Object> sockets, Function<RecordedEvent, T> value) {
        return events.stream()
                .filter(event -> event.arguments().containsKey(argument))
                .filter(event -> sockets.contains(event.argument(argument)))
                .map(value)
                .toList();
    }

    private static Piece piece(RecordedEvent event, String fd, String reader) {
        return new Piece((Long) event.argument(fd), event.returnValue(), (Long) event.argument(reader));
    }

    private LineProgram start(NodeBinary node) throws IOException {
        Path script = folder.resolve("readers.js");
        try (InputStream source =
                Objects.requireNonNull(UvReaderTest.class.getResourceAsStream(APPLICATION), APPLICATION)) {
            Files.write(script, source.readAllBytes());
        }
        return LineProgram.start(List.of(node.path().toString(), script.toString()));
    }

    private static List<Piece> record(LineProgram application, Path file) throws Exception {
        try (CommandRun record = CommandRun.start(
                        "record",
                        "-p",
                        application.pid(),
                        "--budget",
                        "off",
                        "-o",
                        file.toString(),
                        "--probes",
                        READ,
                        "--probes",
                        BEGINNING,
                        "--probes",
                        CALL)
                .awaitRecording()) {
            List<Piece> sent = new ArrayList<>();
            Matcher pieces = PIECE.matcher(application.ask("send"));
            while (pieces.find()) {
                sent.add(new Piece(number(pieces, 1), number(pieces, 2), number(pieces, 3)));
            }
            assertThat(record.interrupt().end()).isZero();
            return sent;
        }
    }

    private static long number(Matcher pieces, int group) {
        return Long.parseLong(pieces.group(group));
    }
}
