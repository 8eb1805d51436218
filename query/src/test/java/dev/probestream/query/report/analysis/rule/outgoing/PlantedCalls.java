package dev.probestream.query.report.analysis.rule.outgoing;

import dev.probestream.query.report.analysis.Planted;
import java.sql.SQLException;
import java.util.Map;

/** A planted recording of a server, idle but for what a test adds: requests that it serves, and what these ask others for. */
final class PlantedCalls implements AutoCloseable {
    private static final Map<String, String> DATABASES = Map.of("postgresql", "PostgreSQL", "redis", "Redis");

    final Planted planted;
    private int requests;

    PlantedCalls() throws SQLException {
        this(new Planted());
        planted.poll(0, 8000).poll(8000, 8001);
    }

    /** Of a server that is as busy as that. */
    PlantedCalls(Planted planted) {
        this.planted = planted;
    }

    /** How many requests there are, served or sent; the number of the last one. */
    int requests() {
        return requests;
    }

    /** {@return its number} */
    long server(String url, double fromMs, double toMs, int status) throws SQLException {
        planted.request("SERVER", url, fromMs, toMs, status + " AS status");
        return ++requests;
    }

    void statement(long parent, String text, double fromMs, double toMs, String more) throws SQLException {
        client(
                parent,
                "postgresql",
                "SELECT orders",
                fromMs,
                toMs,
                5432,
                ", 'db' AS peer_name, '" + text + "' AS statement" + more);
    }

    /** {@code parent}: 0 = ordered by none. */
    void client(long parent, String protocol, String operation, double fromMs, double toMs, int port, String more)
            throws SQLException {
        long networkNs = Math.round((toMs - fromMs) * 1e6);
        requests++;
        planted.request(
                "CLIENT",
                "/",
                fromMs,
                toMs,
                "nullif(%d, 0) AS parent_request_id, '%s' AS protocol, '%s' AS operation,"
                                .formatted(parent, protocol, operation)
                        + " '10.0.0.5' AS remote_address, %d AS remote_port, %d AS network_ns, nullif('%s', '') AS database %s"
                                .formatted(port, networkNs, DATABASES.getOrDefault(protocol, ""), more));
    }

    @Override
    public void close() throws SQLException {
        planted.close();
    }
}
