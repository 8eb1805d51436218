package dev.probestream.cli.options;

import dev.probestream.broker.BrokerRegistry;
import dev.probestream.cli.terminal.ServiceLog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Adds the password of a broker that the same user runs on this machine, so that {@code --kafka} is all that is needed. */
final class OwnBroker {
    private static final Pattern LOOPBACK =
            Pattern.compile("(?:localhost|127\\.\\d{1,3}\\.\\d{1,3}\\.\\d{1,3}):(\\d{1,5})", Pattern.CASE_INSENSITIVE);
    /** Properties with which the user decides about authentication. */
    private static final Pattern SECURITY = Pattern.compile("security\\.protocol|sasl\\..*|ssl\\..*");

    /** How long a broker may take that is started at the same time as its client. */
    private static final Duration START = Duration.ofSeconds(20);

    private static final Duration RETRY = Duration.ofMillis(100);

    private OwnBroker() {}

    /** Changes nothing if the address is of another machine, or if the properties decide about authentication. */
    static void addSecret(Map<String, String> properties, Optional<Duration> limit, ServiceLog log) {
        Matcher matcher = LOOPBACK.matcher(
                properties.getOrDefault(KafkaOptions.BOOTSTRAP_SERVERS, "").strip());
        if (matcher.matches() && properties.keySet().stream().noneMatch(SECURITY.asMatchPredicate())) {
            Duration start = limit.filter(given -> given.compareTo(START) < 0).orElse(START);
            await(Integer.parseInt(matcher.group(1)), start, log).ifPresent(found -> {
                found.remove(KafkaOptions.BOOTSTRAP_SERVERS);
                properties.putAll(found);
            });
        }
    }

    /** Waits until something listens at the port: a broker is registered before it listens. */
    private static Optional<Map<String, String>> await(int port, Duration limit, ServiceLog log) {
        long startNs = System.nanoTime();
        boolean isLogged = false;
        while (true) {
            boolean isOver = isListening(port) || System.nanoTime() - startNs > limit.toNanos();
            Optional<Map<String, String>> found = BrokerRegistry.clientProperties(port);
            if (found.isPresent() || isOver) {
                return found;
            }
            if (!isLogged) {
                log.log("no broker listens at port " + port + " of this machine yet; waiting " + limit.toSeconds()
                        + " s");
                isLogged = true;
            }
            LockSupport.parkNanos(RETRY.toNanos());
        }
    }

    private static boolean isListening(int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), (int) RETRY.toMillis());
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
