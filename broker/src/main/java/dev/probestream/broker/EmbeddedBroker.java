package dev.probestream.broker;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.common.utils.Time;
import org.jspecify.annotations.Nullable;

/**
 * One Kafka node, broker and controller, in this process, on the loopback address. What is in its topics stays in the data
 * folder; the next broker on that folder serves it again.
 *
 * <p>Kafka ends the whole process when it can work no longer (a full disk, say); {@link FatalExit} says so first.
 */
public final class EmbeddedBroker implements AutoCloseable {
    private static final int TRIES_FOR_FREE_PORTS = 3;

    private final KafkaRaftServer server;
    private final BrokerDataFolder data;
    private final int port;

    private EmbeddedBroker(KafkaRaftServer server, BrokerDataFolder data, int port) {
        this.server = server;
        this.data = data;
        this.port = port;
    }

    /**
     * Starts a broker and waits until it serves, a second or two.
     *
     * @param dataFolder made if it is missing; must be empty, or one that an embedded broker made
     * @param port from 1 to 65535, or 0 for one that is free
     * @throws BrokerException when the folder is in use, foreign, damaged or full, or the port is taken
     */
    public static EmbeddedBroker start(Path dataFolder, int port) throws BrokerException {
        if (port != 0) {
            refuseTakenPort(port);
        }
        BrokerDataFolder data = BrokerDataFolder.open(dataFolder);
        try {
            return startOn(data, port);
        } catch (BrokerException e) {
            data.close();
            throw e;
        }
    }

    /** For the client property {@code bootstrap.servers}: {@code 127.0.0.1:9092}. */
    public String bootstrapServers() {
        return BrokerProperties.HOST + ":" + port;
    }

    /** Where its topics are kept: absolute. */
    public Path dataFolder() {
        return data.path();
    }

    /** Ends the broker in order: what it took is on disk when this returns, half a second later. */
    @Override
    public void close() {
        server.shutdown();
        server.awaitShutdown();
        data.close();
    }

    private static EmbeddedBroker startOn(BrokerDataFolder data, int wantedPort) throws BrokerException {
        for (int tries = 1; ; tries++) {
            int port = wantedPort == 0 ? freePort() : wantedPort;
            try {
                return startOnce(data, port);
            } catch (RuntimeException e) {
                // A port that was free a moment ago may be somebody's by now; so may the controller's.
                if (!isTakenPort(e) || tries == TRIES_FOR_FREE_PORTS) {
                    throw refusal(data, port, e);
                }
            }
        }
    }

    private static EmbeddedBroker startOnce(BrokerDataFolder data, int port) throws BrokerException {
        FatalExit death = new FatalExit(data);
        Exit.setHaltProcedure(death::end);
        Exit.setExitProcedure(death::end);
        KafkaConfig config = new KafkaConfig(BrokerProperties.of(data.path(), port, freePort()), false);
        KafkaRaftServer server = new KafkaRaftServer(config, Time.SYSTEM);
        try {
            server.startup();
            return new EmbeddedBroker(server, data, port);
        } catch (RuntimeException e) {
            // Its threads are no daemons: left alone they would keep the JVM alive.
            server.shutdown();
            throw e;
        }
    }

    private static BrokerException refusal(BrokerDataFolder data, int port, RuntimeException failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String reason = data.isFull() ? "its disk is full; make room" : cause + "; PROBESTREAM_LOG=warn shows more";
        return new BrokerException(
                "cannot start a broker on " + BrokerProperties.HOST + ":" + port + " with data in " + data.path() + ": "
                        + reason,
                failure);
    }

    private static boolean isTakenPort(Throwable failure) {
        for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
            if (cause instanceof BindException
                    || String.valueOf(cause.getMessage()).contains("failed to bind")) {
                return true;
            }
        }
        return false;
    }

    private static void refuseTakenPort(int port) throws BrokerException {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        } catch (IOException e) {
            throw new BrokerException(
                    "cannot start a broker on " + BrokerProperties.HOST + ":" + port + ": " + e.getMessage()
                            + "; is another broker running there? --port takes another",
                    e);
        }
    }

    private static int freePort() throws BrokerException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException e) {
            throw new BrokerException(
                    "cannot start a broker on " + BrokerProperties.HOST + ": no port is free (" + e.getMessage() + ")",
                    e);
        }
    }

    /** The end of the process when Kafka's server finds that it cannot go on: said first, because Kafka only logs it. */
    static final class FatalExit {
        private final BrokerDataFolder data;

        FatalExit(BrokerDataFolder data) {
            this.data = data;
        }

        /** A {@link org.apache.kafka.common.utils.Exit.Procedure}: never returns. */
        void end(int statusCode, @Nullable String message) {
            String reason = message != null
                    ? message
                    : data.isFull() ? "its disk is full; make room and start again" : "PROBESTREAM_LOG=warn shows why";
            System.err.println(
                    "the broker with data in " + data.path() + " cannot go on and ends this process: " + reason);
            System.err.flush();
            Runtime.getRuntime().halt(statusCode == 0 ? 1 : statusCode);
        }
    }
}
