package dev.probestream.cli.endtoend.program;

import dev.probestream.cli.endtoend.fixture.InstalledProgram;
import dev.probestream.cli.endtoend.fixture.LineProgram;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;

/**
 * A PostgreSQL cluster of the machine's package, made for one test in a folder of its own and reached by a socket in it.
 * It refuses to run as root: it runs as the user postgres.
 */
final class PostgresServer implements AutoCloseable {
    private static final String USER = "postgres";

    private final Path folder;
    private final Process process;

    private PostgresServer(Path folder, Process process) {
        this.folder = folder;
        this.process = process;
    }

    /** Makes the cluster, starts it and waits until it can be connected to. */
    static PostgresServer start() throws IOException, InterruptedException {
        Path initdb = InstalledProgram.ofPostgres("initdb");
        Path postgres = InstalledProgram.ofPostgres("postgres");
        Path folder = Files.createTempDirectory("probestream-postgres");
        Files.setOwner(
                folder, folder.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(USER));
        String data = folder.resolve("data").toString();
        Process made = asUser(initdb.toString(), "-D", data, "-A", "trust", "-U", USER, "--no-sync", "--locale=C")
                .redirectErrorStream(true)
                .start();
        String said = new String(made.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (made.waitFor() != 0) {
            throw new IOException("initdb ended with " + made.exitValue() + ": " + said);
        }
        // -F: no fsync; -h '': no TCP.
        PostgresServer server = new PostgresServer(
                folder,
                asUser(postgres.toString(), "-D", data, "-k", folder.toString(), "-h", "", "-F")
                        .redirectErrorStream(true)
                        .start());
        server.await("ready to accept connections");
        return server;
    }

    private static ProcessBuilder asUser(String... command) {
        List<String> words =
                new ArrayList<>(List.of("setpriv", "--reuid", USER, "--regid", USER, "--init-groups", "--"));
        words.addAll(List.of(command));
        return new ProcessBuilder(words).directory(Path.of("/").toFile());
    }

    private void await(String text) throws IOException {
        StringBuilder said = new StringBuilder();
        // It may write on later: the pipe holds far more than it has to say.
        BufferedReader log = process.inputReader(StandardCharsets.UTF_8);
        for (String line = log.readLine(); line != null; line = log.readLine()) {
            said.append(line).append('\n');
            if (line.contains(text)) {
                return;
            }
        }
        throw new IOException("postgres ended: " + said);
    }

    /** Of the postmaster. */
    String pid() {
        return String.valueOf(process.pid());
    }

    /** A session of psql, with a process of its own in the server: sends a line, gives the line that comes back. */
    LineProgram psql() throws IOException {
        return LineProgram.start(List.of(
                InstalledProgram.ofPostgres("psql").toString(),
                "-h",
                folder.toString(),
                "-U",
                USER,
                "-d",
                "postgres",
                "--no-psqlrc",
                "--quiet",
                "--tuples-only",
                "--no-align",
                "-v",
                "HISTFILE=/dev/null",
                "-c",
                "SELECT 'ready'",
                "-f",
                "-"));
    }

    @Override
    public void close() throws IOException {
        // SIGQUIT would do; with SIGKILL alone the children and the shared memory stay.
        process.destroy();
        process.onExit().join();
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        }
    }
}
