package dev.probestream.bench.node;

import dev.probestream.bench.database.PostgresServer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;

/** A running server with everything it needs, and a program that puts it under load. */
final class LoadedServer implements AutoCloseable {
    private static final int CONNECTIONS = 16;
    private static final int IDLE_CONNECTIONS = 10_000;
    private static final String PASSWORD = "changeit";

    private final Deque<AutoCloseable> closers = new ArrayDeque<>();
    private final ServerLoad load;
    private final NodeProgram server;
    private final NodeProgram client;

    private LoadedServer(Path folder, ServerKind kind, List<String> preloaded)
            throws IOException, InterruptedException {
        this.load = new ServerLoad(kind.path());
        try {
            boolean isApi = kind == ServerKind.API;
            Map<String, String> environment = isApi || !preloaded.isEmpty()
                    ? Map.of("NODE_PATH", NpmPackages.install("").toString())
                    : Map.of();
            if (isApi) {
                environment = Map.of(
                        "NODE_PATH",
                        NpmPackages.install("").toString(),
                        "DATABASE_URL",
                        opened(PostgresServer.start()).url());
            }
            List<String> arguments =
                    kind == ServerKind.TLS ? List.of(certificate(folder).toString(), PASSWORD) : List.of();
            this.server = opened(NodeProgram.start(
                    folder, preloaded, environment, isApi ? "api.js" : "server.js", arguments.toArray(String[]::new)));
            String port = server.firstLine();
            if (kind == ServerKind.IDLE) {
                opened(NodeProgram.start(folder, "idle.js", port, Integer.toString(IDLE_CONNECTIONS)));
            }
            List<String> loadArguments = new ArrayList<>(List.of(port, Integer.toString(CONNECTIONS)));
            if (kind == ServerKind.TLS) {
                loadArguments.add("tls");
            }
            this.client = opened(NodeProgram.start(folder, "load.js", loadArguments.toArray(String[]::new)));
        } catch (IOException | InterruptedException | RuntimeException e) {
            close();
            throw e;
        }
    }

    /** Starts a server that nothing instruments. */
    static LoadedServer start(Path folder, ServerKind kind) throws IOException, InterruptedException {
        return new LoadedServer(Files.createTempDirectory(folder, kind.title()), kind, List.of());
    }

    /** Starts a server that OpenTelemetry's SDK for Node instruments. */
    static LoadedServer withOpenTelemetry(Path folder, ServerKind kind) throws IOException, InterruptedException {
        Path own = Files.createTempDirectory(folder, kind.title() + "-opentelemetry");
        return new LoadedServer(own, kind, List.of("opentelemetry.js"));
    }

    /** The process to watch. */
    NodeProgram server() {
        return server;
    }

    /** @param rate of requests per second; {@link ServerLoad#FLAT_OUT} = as many as are answered */
    ServerLoad.Result run(int ms, int rate) throws IOException {
        return load.run(server, client, ms, rate);
    }

    private <T extends AutoCloseable> T opened(T part) {
        closers.push(part);
        return part;
    }

    private static Path certificate(Path folder) throws IOException, InterruptedException {
        Path file = folder.resolve("certificate.p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-keystore",
                        file.toString(),
                        "-storetype",
                        "PKCS12",
                        "-storepass",
                        PASSWORD,
                        "-keyalg",
                        "EC",
                        "-groupname",
                        "secp256r1",
                        "-dname",
                        "CN=localhost",
                        "-alias",
                        "bench")
                .redirectErrorStream(true)
                .start();
        String said = new String(keytool.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        if (keytool.waitFor() != 0) {
            throw new IOException("make a certificate: " + said);
        }
        return file;
    }

    @Override
    public void close() {
        while (!closers.isEmpty()) {
            try {
                closers.pop().close();
            } catch (Exception e) {
                throw new IllegalStateException("end a server of the benchmark", e);
            }
        }
    }
}
