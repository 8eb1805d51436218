package dev.probestream.collector.internal.protocol.connection;

/**
 * A connection as the probes report it.
 *
 * @param pid the process
 * @param stream address of libuv's stream
 * @param tls address of what encrypts it; 0 = nothing does
 * @param remote the server's address; "" if it is not known
 */
public record Endpoint(int pid, long stream, long tls, String remote) {
    /** What distinguishes connections of a process. */
    record Key(int pid, long address) {}

    Key key() {
        return new Key(pid, tls == 0 ? stream : tls);
    }
}
