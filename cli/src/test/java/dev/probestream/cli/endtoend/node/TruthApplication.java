package dev.probestream.cli.endtoend.node;

import com.fasterxml.jackson.databind.ObjectMapper;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import dev.probestream.cli.node.NodeBinary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Assumptions;

/** The application testdata/node/truth/app.js and its client, two processes; the application keeps a log of its own. */
final class TruthApplication implements AutoCloseable {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final String FOLDER = "truth/";

    /**
     * A line of the application's log.
     *
     * @param status 0 = it was not answered
     * @param outcome in the words of the table {@code requests}
     * @param startNs CLOCK_MONOTONIC: the application got it
     * @param endNs CLOCK_MONOTONIC: the last of the answer was handed over, or the connection was found closed
     * @param remotePort the client's
     * @param localPort the server's
     */
    record Entry(
            String method,
            String url,
            int status,
            String outcome,
            long startNs,
            long endNs,
            int remotePort,
            int localPort,
            boolean isTls) {}

    private final NodeFixture app;
    private final NodeFixture client;
    private final String ports;

    private TruthApplication(NodeFixture app, NodeFixture client, String ports) {
        this.app = app;
        this.client = client;
        this.ports = ports;
    }

    /** Starts both in {@code folder}; without Express the test cannot be run. */
    static TruthApplication start(NodeBinary node, Path folder) throws IOException {
        String nodes = System.getenv("PROBESTREAM_NODES");
        Assumptions.assumeTrue(
                nodes != null && Files.isDirectory(Path.of(nodes, "express", "node_modules", "express")),
                "there is no express below $PROBESTREAM_NODES (.ci/run installs it)");
        NodeFixture.copied(folder, FOLDER + "key.pem");
        NodeFixture.copied(folder, FOLDER + "cert.pem");
        NodeFixture app = NodeFixture.start(node, folder, FOLDER + "app.js");
        try {
            NodeFixture client = NodeFixture.start(node, folder, FOLDER + "client.js");
            return new TruthApplication(app, client, app.ask("ports"));
        } catch (IOException e) {
            app.close();
            throw e;
        }
    }

    /** The application's, not the client's. */
    String pid() {
        return app.pid();
    }

    /** Has the client run one of its commands, and waits until it has its answers. */
    void serve(String what) throws IOException {
        client.ask(what + " " + ports);
    }

    List<Entry> log() throws IOException {
        return List.of(JSON.readValue(app.ask("log"), Entry[].class));
    }

    @Override
    public void close() {
        client.close();
        app.close();
    }
}
