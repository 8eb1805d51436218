package dev.probestream.bench.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A MariaDB with an empty database "test" on a free port of loopback, in a temporary folder; its user root has no password. */
public final class MariaDbServer implements AutoCloseable {
    private static final Path PROGRAM = Path.of("/usr/sbin/mariadbd");

    private final ServerFolder folder;
    private final Process process;
    private final int port;

    private MariaDbServer(ServerFolder folder, Process process, int port) {
        this.folder = folder;
        this.process = process;
        this.port = port;
    }

    /**
     * Starts it and waits until it takes connections.
     *
     * @throws IOException when MariaDB is not installed or does not start
     */
    public static MariaDbServer start() throws IOException, InterruptedException {
        if (!Files.isExecutable(PROGRAM)) {
            throw new IOException("MariaDB is not installed (" + PROGRAM + "): 'apt-get install mariadb-server'");
        }
        ServerFolder folder = ServerFolder.create();
        try {
            return start(folder);
        } catch (IOException | InterruptedException | RuntimeException e) {
            folder.close();
            throw e;
        }
    }

    private static MariaDbServer start(ServerFolder folder) throws IOException, InterruptedException {
        String data = folder.path().resolve("data").toString();
        folder.run(
                "mariadb-install-db",
                "--no-defaults",
                "--datadir=" + data,
                "--auth-root-authentication-method=normal",
                "--skip-name-resolve",
                "--innodb-log-file-size=4M");
        int port = ServerFolder.freePort();
        Process process = folder.start(
                PROGRAM.toString(),
                "--no-defaults",
                "--datadir=" + data,
                "--port=" + port,
                "--bind-address=127.0.0.1",
                "--socket=" + folder.path().resolve("socket"),
                "--pid-file=" + folder.path().resolve("pid"),
                "--skip-name-resolve",
                "--innodb-log-file-size=4M",
                "--innodb-flush-log-at-trx-commit=0");
        folder.awaitReady(process, "ready for connections");
        return new MariaDbServer(folder, process, port);
    }

    /** For clients. */
    public String url() {
        return "mysql://root@127.0.0.1:" + port + "/test";
    }

    @Override
    public void close() throws IOException {
        folder.close(process);
    }
}
