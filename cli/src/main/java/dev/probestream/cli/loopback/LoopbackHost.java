package dev.probestream.cli.loopback;

import com.sun.net.httpserver.Authenticator;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpPrincipal;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The Host header of a request to a server on loopback. A web page can make a browser ask such a server under a name of
 * its own that resolves to 127.0.0.1 ("DNS rebinding") and read the answer; only the header distinguishes this from a
 * request of this machine.
 */
public final class LoopbackHost {
    /** RFC 9110, 15.5.20: Misdirected Request. */
    public static final int MISDIRECTED = 421;

    private static final Set<String> NAMES = Set.of("127.0.0.1", "localhost", "[::1]");

    private LoopbackHost() {}

    /** Whether {@code host} is a name of loopback; with any port, because an ssh tunnel may use another one. */
    public static boolean isNamedBy(@Nullable String host) {
        return host != null && NAMES.contains(host.replaceFirst(":\\d+$", ""));
    }

    /** Refuses all requests to other hosts with status 421. */
    public static Authenticator only() {
        return new Authenticator() {
            @Override
            public Result authenticate(HttpExchange exchange) {
                return isNamedBy(exchange.getRequestHeaders().getFirst("Host"))
                        ? new Success(new HttpPrincipal("anyone", "this machine"))
                        : new Failure(MISDIRECTED);
            }
        };
    }
}
