package dev.probestream.cli.demo;

import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.HdrHistogram.ConcurrentHistogram;
import org.HdrHistogram.Histogram;

/** The users of the sample server: each sends a request, reads the response, pauses and sends the next. */
public final class SampleLoad {
    private static final int USERS = 4;
    private static final long PAUSE_MS = 8;

    /** The requests of a user, in order; slow ones are rare. */
    private static final List<String> SCRIPT = List.of(
            "file",
            "immediate",
            "sync",
            "stat",
            "file",
            "timer",
            "list",
            "hash",
            "file",
            "garbage",
            "log",
            "missing",
            "file",
            "immediate",
            "large",
            "stat",
            "garbage",
            "file",
            "timer",
            "sync",
            "file",
            "stall");

    private final URI server;
    private final Histogram latencies = new ConcurrentHistogram(3);
    private final AtomicLong failed = new AtomicLong();
    private volatile boolean stopped;

    /** A load on the server at the address {@code server}. */
    public SampleLoad(URI server) {
        this.server = server;
    }

    /** Sends requests for {@code duration}, and returns after the last response. */
    public Outcome run(Duration duration) throws InterruptedException {
        long endNs = System.nanoTime() + duration.toNanos();
        List<Thread> users = new ArrayList<>();
        for (int user = 0; user < USERS; user++) {
            int start = user * SCRIPT.size() / USERS;
            Thread thread = new Thread(() -> behave(start, endNs), "demo-user-" + user);
            thread.setDaemon(true);
            users.add(thread);
            thread.start();
        }
        for (Thread user : users) {
            user.join();
        }
        return outcome();
    }

    /** Ends the load after the current request of each user; may be called from any thread. */
    public void stop() {
        stopped = true;
    }

    /** The outcome so far. */
    public Outcome outcome() {
        return new Outcome(latencies.getTotalCount(), failed.get(), latencies.copy());
    }

    private void behave(int start, long endNs) {
        try {
            for (int turn = start; System.nanoTime() < endNs && !stopped; turn++) {
                request(SCRIPT.get(turn % SCRIPT.size()));
                Thread.sleep(PAUSE_MS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void request(String name) {
        long startNs = System.nanoTime();
        try {
            SampleRequest.get(server.resolve(name));
            latencies.recordValue(System.nanoTime() - startNs);
        } catch (IOException e) {
            // Counted and shown in the table; the other users continue.
            failed.incrementAndGet();
        }
    }

    /**
     * The outcome of the load.
     *
     * @param answered requests answered with status 200
     * @param failed requests answered otherwise or not at all
     * @param latenciesNs from the request to the last byte of the response, of answered requests
     */
    public record Outcome(long answered, long failed, Histogram latenciesNs) {}
}
