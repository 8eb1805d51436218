package dev.probestream.bench.kafka;

import dev.probestream.bench.measure.ChildJvm;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** {@code probestream broker} in a JVM of its own: the one broker that all contestants of a benchmark share. */
final class BrokerJvm implements AutoCloseable {
    /** Property with the path of the launcher; {@code bench/run} sets it. */
    private static final String HOME = "probestream.home";

    private static final String READY = "broker ready at ";

    private final ChildJvm jvm;
    private final String address;

    private BrokerJvm(ChildJvm jvm, String address) {
        this.jvm = jvm;
        this.address = address;
    }

    /**
     * Starts it and waits until it serves.
     *
     * @param data where it keeps its topics
     * @throws IOException when it does not start, or the command was not built
     */
    static BrokerJvm start(Path data) throws IOException {
        Path target = Path.of(System.getProperty(HOME, "."), "cli", "target");
        Path jar = target.resolve("probestream.jar");
        if (!Files.exists(jar)) {
            throw new IOException("start a broker: there is no " + jar + "; run bench/run, which builds it");
        }
        ChildJvm jvm = ChildJvm.start(
                "broker",
                List.of(
                        "-XX:+UseSerialGC",
                        "-Xmx512m",
                        "-cp",
                        jar + ":" + target.resolve("lib-broker") + "/*",
                        "dev.probestream.cli.Main",
                        "broker",
                        "--port",
                        "0",
                        "--no-auth", // the contestants are given an address only
                        "--data",
                        data.toString()));
        try {
            String line = jvm.receive();
            if (!line.startsWith(READY)) {
                throw new IOException("start a broker: it prints '" + line + "'");
            }
            return new BrokerJvm(jvm, line.substring(READY.length(), line.indexOf(',')));
        } catch (IOException e) {
            try (jvm) {
                throw e;
            }
        }
    }

    /** For {@code bootstrap.servers}. */
    String address() {
        return address;
    }

    /** CPU time of all its threads so far. */
    long cpuNs() {
        return jvm.cpuNs();
    }

    @Override
    public void close() throws IOException {
        jvm.close();
    }
}
