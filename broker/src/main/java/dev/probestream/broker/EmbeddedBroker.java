package dev.probestream.broker;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import kafka.server.KafkaConfig;
import kafka.server.KafkaRaftServer;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.common.utils.Time;
import org.jspecify.annotations.Nullable;

/**
 * One Kafka node, broker and controller, in this process, on the loopback address. Topics are stored in the data
 * folder; a later broker on the same folder serves them again.
 *
 * <p>On a fatal error, such as a full disk, Kafka ends the whole process; a message is printed before.
 */
public final class EmbeddedBroker implements AutoCloseable {
    private static final int TRIES_FOR_FREE_PORTS = 3;

    private final KafkaRaftServer server;
    private final BrokerDataFolder data;
    private final int port;
    private final BrokerSecret secret;
    private final BrokerAccess access;
    private final boolean isRegistered;

    private EmbeddedBroker(
            KafkaRaftServer server,
            BrokerDataFolder data,
            int port,
            BrokerSecret secret,
            BrokerAccess access,
            boolean isRegistered) {
        this.server = server;
        this.data = data;
        this.port = port;
        this.secret = secret;
        this.access = access;
        this.isRegistered = isRegistered;
    }

    /** Starts a broker for its user only: clients need {@link #clientProperties}. */
    public static EmbeddedBroker start(Path dataFolder, int port) throws BrokerException {
        return start(dataFolder, port, BrokerAccess.OWNER);
    }

    /**
     * Starts a broker and waits until it accepts requests, which takes one to two seconds.
     *
     * @param dataFolder created if it does not exist; must be empty or created by an embedded broker
     * @param port from 1 to 65535, or 0 for a free port
     * @throws BrokerException if the folder is in use, contains other files, is damaged or full, or the port is in use
     */
    public static EmbeddedBroker start(Path dataFolder, int port, BrokerAccess access) throws BrokerException {
        if (port != 0) {
            refuseTakenPort(port);
        }
        BrokerDataFolder data = BrokerDataFolder.open(dataFolder);
        try {
            return startOn(data, port, access);
        } catch (BrokerException e) {
            data.close();
            throw e;
        }
    }

    /** The value of the client property {@code bootstrap.servers}, such as {@code 127.0.0.1:9092}. */
    public String bootstrapServers() {
        return BrokerProperties.HOST + ":" + port;
    }

    /** The properties that a Kafka client needs, with the address; the password in them is a secret. */
    public Map<String, String> clientProperties() {
        return access == BrokerAccess.OWNER
                ? secret.clientProperties(bootstrapServers())
                : Map.of("bootstrap.servers", bootstrapServers());
    }

    /** The file in the data folder with {@link #clientProperties}; empty if clients need no password. */
    public Optional<Path> clientPropertiesFile() {
        return access == BrokerAccess.OWNER ? Optional.of(data.path().resolve(BrokerSecret.FILE)) : Optional.empty();
    }

    /** Whether Probestream's other commands find the password by themselves ({@link BrokerRegistry}). */
    public boolean isRegistered() {
        return isRegistered;
    }

    /** The absolute path of the data folder. */
    public Path dataFolder() {
        return data.path();
    }

    /** Shuts the broker down, which takes half a second. All accepted records are on disk when this method returns. */
    @Override
    public void close() {
        BrokerRegistry.unregister(port);
        server.shutdown();
        server.awaitShutdown();
        data.giveToCallerOfSudo();
        data.close();
    }

    private static EmbeddedBroker startOn(BrokerDataFolder data, int wantedPort, BrokerAccess access)
            throws BrokerException {
        for (int tries = 1; ; tries++) {
            Ports ports = Ports.free(wantedPort);
            try {
                return startOnce(data, ports, access);
            } catch (RuntimeException e) {
                // A free port may have been taken meanwhile; so may the controller's.
                if (!isTakenPort(e) || tries == TRIES_FOR_FREE_PORTS) {
                    throw refusal(data, ports.client(), e);
                }
            }
        }
    }

    private static EmbeddedBroker startOnce(BrokerDataFolder data, Ports ports, BrokerAccess access)
            throws BrokerException {
        int port = ports.client();
        if (BrokerRegistry.isTaken(port)) {
            throw new UncheckedIOException(new BindException("another broker of this user starts on this port"));
        }
        BrokerRegistry.unregister(port);
        BrokerSecret secret = data.secret(access);
        FatalExit death = new FatalExit(data);
        Exit.setHaltProcedure(death::end);
        Exit.setExitProcedure(death::end);
        KafkaConfig config =
                new KafkaConfig(BrokerProperties.of(data.path(), port, ports.controller(), secret, access), false);
        KafkaRaftServer server = new KafkaRaftServer(config, Time.SYSTEM);
        try {
            // Before the port is open: who can connect to it finds the secret.
            boolean isRegistered = access == BrokerAccess.OWNER && BrokerRegistry.register(secret, port);
            server.startup();
            EmbeddedBroker started = new EmbeddedBroker(server, data, port, secret, access, isRegistered);
            if (access == BrokerAccess.OWNER) {
                data.write(secret, started.bootstrapServers());
            }
            return started;
        } catch (BrokerException | RuntimeException e) {
            BrokerRegistry.unregister(port);
            // Its threads are not daemons and would keep the JVM alive.
            server.shutdown();
            throw e;
        }
    }

    private static BrokerException refusal(BrokerDataFolder data, int port, RuntimeException failure) {
        Throwable cause = failure;
        while (cause.getCause() != null) {
            cause = cause.getCause();
        }
        String reason =
                data.isFull() ? "the disk is full; free some space" : cause + "; set PROBESTREAM_LOG=warn for details";
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
                            + "; stop the program that uses it, or choose another port with --port",
                    e);
        }
    }

    /** The ports of the listeners; who opens a port that another program has opened since fails. */
    private record Ports(int client, int controller) {
        /**
         * Ports that no program uses.
         *
         * @param client the port for clients, 0 = a free one
         */
        static Ports free(int client) throws BrokerException {
            // Both are held at once: a port that was closed may be given again at once.
            try (ServerSocket first = freeSocket();
                    ServerSocket second = freeSocket()) {
                return client == 0
                        ? new Ports(first.getLocalPort(), second.getLocalPort())
                        : new Ports(
                                client, client == second.getLocalPort() ? first.getLocalPort() : second.getLocalPort());
            } catch (IOException e) {
                throw new BrokerException(
                        "cannot start a broker on " + BrokerProperties.HOST + ": no port is free (" + e.getMessage()
                                + ")",
                        e);
            }
        }

        private static ServerSocket freeSocket() throws IOException {
            return new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        }
    }

    /**
     * Ends the process on a fatal error of Kafka's server, and prints a message first, because Kafka only logs the
     * error.
     */
    private static final class FatalExit {
        private final BrokerDataFolder data;

        FatalExit(BrokerDataFolder data) {
            this.data = data;
        }

        /** An {@link org.apache.kafka.common.utils.Exit.Procedure}; never returns. */
        void end(int statusCode, @Nullable String message) {
            String reason = message != null
                    ? message
                    : data.isFull()
                            ? "the disk is full; free some space and start again"
                            : "set PROBESTREAM_LOG=warn for details";
            System.err.println(
                    "fatal error of the broker with data in " + data.path() + ", this process ends: " + reason);
            System.err.flush();
            Runtime.getRuntime().halt(statusCode == 0 ? 1 : statusCode);
        }
    }
}
