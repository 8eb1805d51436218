package dev.probestream.bench.node;

import java.io.IOException;

/** One kind of request to the server, again and again. */
final class ServerLoad {
    static final int FLAT_OUT = 0;

    private final String path;

    ServerLoad(String path) {
        this.path = path;
    }

    /**
     * What one run of it gave.
     *
     * @param requests answered
     * @param perSecond of the wall clock
     * @param p99Us of all of them, as the client saw it; with a rate, from when it was due
     * @param cpuUs the server's CPU time for one, of all its threads
     */
    record Result(long requests, double perSecond, double p99Us, double cpuUs) {}

    /** As many requests as are answered. */
    Result run(NodeProgram server, NodeProgram load, int ms) throws IOException {
        return run(server, load, ms, FLAT_OUT);
    }

    /** @param rate of requests per second; {@link #FLAT_OUT} = as many as are answered */
    Result run(NodeProgram server, NodeProgram load, int ms, int rate) throws IOException {
        long cpuBeforeUs = Long.parseLong(server.ask(""));
        String[] counts = load.ask(path + " " + ms + " " + rate).split(" ");
        long cpuUs = Long.parseLong(server.ask("")) - cpuBeforeUs;
        long requests = Long.parseLong(counts[0]);
        return new Result(
                requests,
                requests * 1e6 / Long.parseLong(counts[1]),
                Long.parseLong(counts[3]),
                (double) cpuUs / requests);
    }
}
