package dev.probestream.cli.endtoend.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.LineProgram;
import dev.probestream.cli.endtoend.fixture.PostgresServer;
import dev.probestream.cli.endtoend.fixture.RecordedFile;
import dev.probestream.cli.endtoend.fixture.RecordedFile.RecordedEvent;
import dev.probestream.schema.record.EventKind;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The probe set postgres on the PostgreSQL of the machine. */
@KernelTest(since = "5.8")
class PostgresTest {
    @TempDir
    private Path folder;

    @Test
    void queriesOfOneBackendAreSpans() throws Exception {
        Path recording = folder.resolve("trace.avro");
        String backend;
        try (PostgresServer postgres = PostgresServer.start();
                LineProgram psql = postgres.psql();
                LineProgram other = postgres.psql()) {
            backend = psql.ask("SELECT pg_backend_pid();");
            try (CommandRun record =
                    CommandRun.start("record", "-p", backend, "-o", recording.toString(), "--probes", "postgres")) {
                record.awaitRecording();
                assertThat(psql.ask("SELECT 6 * 7;")).isEqualTo("42");
                assertThat(psql.ask("BEGIN; SELECT 'in a transaction';")).isEqualTo("in a transaction");
                assertThat(psql.ask("ROLLBACK; SELECT 'done';")).isEqualTo("done");
                assertThat(other.ask("SELECT 'somebody else';")).isEqualTo("somebody else");

                assertThat(record.interrupt().end()).isZero();
            }
        }

        RecordedFile recorded = RecordedFile.read(recording);
        assertThat(recorded.lost()).isZero();
        List<String> queries = List.of("SELECT *** * ***;", "BEGIN;", "SELECT ***;", "ROLLBACK;", "SELECT ***;");
        assertThat(queries(recorded)).containsExactlyElementsOf(queries);
        assertThat(recorded.events("query"))
                .allMatch(event -> event.pid() == Integer.parseInt(backend)
                        && event.probe().getKind() == EventKind.SPAN);
        assertThat(recorded.events("parse")).hasSize(queries.size());
        assertThat(recorded.events("plan")).hasSize(3);
        assertThat(recorded.events("execute")).hasSize(queries.size());
        assertThat(recorded.events("transaction start")).hasSize(3);
        assertThat(recorded.events("transaction abort")).hasSize(1);
        assertThat(recorded.events("transaction commit")).hasSize(2);
    }

    @Test
    void backendsAreFollowedFromThePostmaster() throws Exception {
        Path recording = folder.resolve("trace.avro");
        try (PostgresServer postgres = PostgresServer.start();
                CommandRun record = CommandRun.start(
                        "record",
                        "-p",
                        postgres.pid(),
                        "--follow",
                        "--show-query",
                        "-o",
                        recording.toString(),
                        "--probes",
                        "postgres")) {
            record.awaitRecording();
            try (LineProgram first = postgres.psql();
                    LineProgram second = postgres.psql()) {
                assertThat(first.ask("SELECT 'first';")).isEqualTo("first");
                assertThat(second.ask("SELECT 'second';")).isEqualTo("second");
                assertThat(first.ask("CHECKPOINT; SELECT 'written';")).isEqualTo("written");
            }

            assertThat(record.interrupt().end()).isZero();
        }

        RecordedFile recorded = RecordedFile.read(recording);
        assertThat(queries(recorded))
                .containsExactly(
                        "SELECT 'ready'",
                        "SELECT 'ready'",
                        "SELECT 'first';",
                        "SELECT 'second';",
                        "CHECKPOINT;",
                        "SELECT 'written';");
        assertThat(recorded.events("query").stream().map(RecordedEvent::pid).distinct())
                .hasSize(2);
    }

    @Test
    void aWaitForALockHasItsKind() throws Exception {
        Path recording = folder.resolve("trace.avro");
        try (PostgresServer postgres = PostgresServer.start();
                LineProgram holder = postgres.psql();
                LineProgram waiter = postgres.psql()) {
            String backend = waiter.ask("SELECT pg_backend_pid();");
            holder.ask("CREATE TABLE octi (fest int); BEGIN; LOCK octi; SELECT 'locked';");
            try (CommandRun record =
                    CommandRun.start("record", "-p", backend, "-o", recording.toString(), "--probes", "postgres")) {
                record.awaitRecording();
                waiter.send("SELECT count(*) FROM octi;");
                while (!holder.ask("SELECT count(*) FROM pg_locks WHERE NOT granted;")
                        .equals("1")) {
                    Thread.onSpinWait();
                }
                holder.ask("COMMIT; SELECT 'released';");
                assertThat(waiter.receive()).isEqualTo("0");

                assertThat(record.interrupt().end()).isZero();
            }
        }

        RecordedFile recorded = RecordedFile.read(recording);
        assertThat(recorded.events("lock wait"))
                .singleElement()
                .satisfies(event ->
                        assertThat(event.arguments()).containsEntry("lock", 0L).containsEntry("mode", 1L));
    }

    @Test
    void theLineOfBccPrintsQueries() throws Exception {
        try (PostgresServer postgres = PostgresServer.start();
                LineProgram psql = postgres.psql()) {
            String backend = psql.ask("SELECT pg_backend_pid();");
            try (CommandRun trace =
                    CommandRun.start("trace", "-p", backend, "-M", "2", "u:postgresql:query__start \"<%s>\", arg1")) {
                trace.await("tracing with ");
                psql.ask("SELECT 'octi';");
                psql.ask("SELECT 'fest';");

                assertThat(trace.end()).isZero();
                assertThat(trace.out().lines().skip(1))
                        .extracting(line -> line.substring(line.indexOf('<')))
                        .containsExactly("<SELECT 'octi';>", "<SELECT 'fest';>");
            }
        }
    }

    /** The texts of all queries, in the order in which they came. */
    private static List<String> queries(RecordedFile recorded) {
        return recorded.events("query").stream()
                .map(event -> String.valueOf(event.argument("query")))
                .toList();
    }
}
