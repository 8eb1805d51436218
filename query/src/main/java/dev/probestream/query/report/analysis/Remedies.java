package dev.probestream.query.report.analysis;

import java.util.Map;

/** What to do about a finding, by its rule. */
final class Remedies {
    private static final Map<String, String> BY_RULE = Map.ofEntries(
            Map.entry("crash", "Handle the error where the named function raises it, and restart the process."),
            Map.entry(
                    "loop-blocked",
                    "Take the named function's work off the event loop: split it into parts, move it to a worker"
                            + " thread, or do less of it per request."),
            Map.entry(
                    "sync-fs",
                    "Replace the synchronous calls with those of fs.promises, or read the files once at the start."),
            Map.entry(
                    "pool-stuck",
                    "Find out why the named calls do not return (a network file system, a FIFO, a resolver), give them"
                            + " a time limit, and raise UV_THREADPOOL_SIZE until then."),
            Map.entry(
                    "pool-starved",
                    "Do less of the named work at once, or raise UV_THREADPOOL_SIZE to the number of CPUs or above."),
            Map.entry(
                    "slow-dns",
                    "Check the resolver of the host (/etc/resolv.conf); keep connections (keepAlive) or cache"
                            + " addresses so that fewer lookups are necessary."),
            Map.entry("lookups-failing", "Check the name, and the resolver of the host (/etc/resolv.conf)."),
            Map.entry("lookups-repeated", "Use an agent with keepAlive: a kept connection needs no lookup."),
            Map.entry(
                    "gc-storm",
                    "Allocate less in the functions that the heap's samples name; if the heap is close to its limit,"
                            + " raise --max-old-space-size."),
            Map.entry(
                    "connections-leaked",
                    "Close the connections, or consume the answers, in the code that opens them."),
            Map.entry(
                    "connections-exhausted",
                    "Return connections earlier, shorten what is done while one is held, or raise the limit of the"
                            + " agent or pool."),
            Map.entry(
                    "connection-errors",
                    "Check the peer and its limits; retry only with a delay, and give kept connections a shorter idle"
                            + " time than the peer's."),
            Map.entry(
                    "slow-statement",
                    "Look at the statement's plan in the database (EXPLAIN), and at locks it waits for."),
            Map.entry("slow-peer", "Look at the peer: the time was spent there. Set a time limit for these calls."),
            Map.entry(
                    "statements-repeated",
                    "Ask for all rows with one statement (IN, a join), or load them in batches."),
            Map.entry("retries", "Retry with a delay and a limit, and remove the cause of the first failure."),
            Map.entry("calls-home", "Check whether the package may send this, and turn it off in its settings if not."),
            Map.entry(
                    "resources-exhausted",
                    "Raise the named limit to keep the service alive, and release what the named function holds."),
            Map.entry("errors", "Look at the errors of the named request first."),
            Map.entry(
                    "off-cpu",
                    "Give the process more CPU: raise its quota, move other programs away, or run fewer processes on"
                            + " the host."),
            Map.entry("descriptors-grow", "Close in the named function what it opens."),
            Map.entry(
                    "heap-grows",
                    "Take two heap snapshots and compare them; look for caches and listeners without a limit."),
            Map.entry(
                    "listen-overflow",
                    "Accept faster (see what keeps the event loop busy), or raise the backlog and net.core.somaxconn."),
            Map.entry("cpu-burnt", "Make the named function cheaper, or run more processes."),
            Map.entry("microtask-flood", "Await fewer promises: work in batches in the named function."),
            Map.entry(
                    "next-tick-flood",
                    "Queue fewer callbacks: use setImmediate, or work in batches in the named function."),
            Map.entry(
                    "cpu-throttled",
                    "Raise the limit (Kubernetes: resources.limits.cpu, Docker: --cpus, systemd: CPUQuota=), or make the"
                            + " functions cheaper that have most of the CPU samples."),
            Map.entry(
                    "tls-handshakes",
                    "Keep connections (keepAlive), let clients resume sessions, and use an ECDSA certificate."),
            Map.entry(
                    "connections-held",
                    "End each transaction with COMMIT or ROLLBACK, and release the client in a finally block."),
            Map.entry("transaction-held", "Make the call before BEGIN or after COMMIT."),
            Map.entry("costly-commands", "Use the command that the text names instead."),
            Map.entry("losses", "Record fewer sets, or with a larger buffer."),
            Map.entry("gaps", "Record fewer sets, or with a larger --budget."));

    private Remedies() {}

    /** "" for what is no problem. */
    static String of(String rule) {
        return BY_RULE.getOrDefault(rule, "");
    }
}
