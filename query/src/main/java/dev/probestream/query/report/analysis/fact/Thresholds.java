package dev.probestream.query.report.analysis.fact;

/** The thresholds of all rules. Shares are from 0 to 1. */
public final class Thresholds {
    private static final long MS = 1_000_000;

    /** A turn of an event loop that is analysed. */
    public static final long LONG_TURN_NS = 50 * MS;

    /** A turn that counts as blocked, without the time in which the thread had no CPU. */
    public static final long BLOCKED_TURN_NS = 80 * MS;

    /** The loop was blocked: once for this long ... */
    public static final long BLOCKED_ONCE_NS = 150 * MS;

    /** ... or blocked turns take this share of the recording. HIGH at the second value, or if the longest turn reaches the third. */
    public static final double BLOCKED_SHARE = 0.05;

    public static final double BLOCKED_SHARE_HIGH = 0.15;
    public static final long BLOCKED_ONCE_HIGH_NS = 500 * MS;

    /** A turn of tens of milliseconds: this many, this share of the time, and this share of the time of all requests. HIGH: the last two. */
    public static final long SLOW_TURN_NS = 20 * MS;

    public static final long SLOW_TURNS = 20;
    public static final double SLOW_TURNS_SHARE = 0.20;
    public static final double SLOW_TURNS_OF_REQUESTS = 0.25;
    public static final double SLOW_TURNS_SHARE_HIGH = 0.40;
    public static final double SLOW_TURNS_OF_REQUESTS_HIGH = 0.50;

    /** No more than this part of their time is in blocked turns, or in pauses and file system calls; if so much of it runs for requests, ... */
    public static final double SLOW_TURNS_PART = 0.5;

    /** ... one of the route with most of it runs for this long. */
    public static final long SLOW_TURN_REQUEST_NS = 10 * MS;

    /** Synchronous calls of the file system inside the loop: at least this many, and this share of the loop's busy time ... */
    public static final long SYNC_FS_CALLS = 20;

    public static final double SYNC_FS_SHARE = 0.10;

    /** ... and this long in total; or a single call of this length. HIGH: {@link #SYNC_FS_SHARE_HIGH} of the busy time, or a single one of {@link #SYNC_FS_ONCE_HIGH_NS}. */
    public static final long SYNC_FS_TOTAL_NS = 50 * MS;

    public static final long SYNC_FS_ONCE_NS = 50 * MS;
    public static final double SYNC_FS_SHARE_HIGH = 0.40;
    public static final long SYNC_FS_ONCE_HIGH_NS = 100 * MS;

    /** Work waited for a thread of the pool that was busy with other work: the shortest wait that counts. */
    public static final long POOL_WAIT_NS = 20 * MS;

    /** This many pieces of work waited, and this share of all. HIGH: their mean wait. */
    public static final long POOL_WAITED = 5;

    public static final double POOL_WAITED_SHARE = 0.10;
    public static final long POOL_WAIT_HIGH_NS = 50 * MS;

    /** A slow lookup: the resolver's own time, without the queue of the pool. */
    public static final long SLOW_LOOKUP_NS = 100 * MS;

    /** This many slow lookups of a host, and this share of its lookups. HIGH: this mean. */
    public static final long SLOW_LOOKUPS = 3;

    public static final double SLOW_LOOKUP_SHARE = 0.2;
    public static final long SLOW_LOOKUP_HIGH_NS = 250 * MS;

    /** So long without an answer: more than a slow one. This share of a name's lookups: the server does not answer. */
    public static final long SILENT_LOOKUP_NS = 1000 * MS;

    public static final double SILENT_LOOKUPS_SHARE = 0.5;

    /** Pauses of the garbage collector: share of the time in which the thread had a CPU or nothing to do. */
    public static final double GC_SHARE = 0.08;

    public static final double GC_SHARE_HIGH = 0.15;

    public static final long GC_PAUSES = 5;

    /** Or a single pause. */
    public static final long GC_ONCE_NS = 200 * MS;

    /** The garbage collector is this part of blocked turns: they follow from it. With less of it, it may follow from them. */
    public static final double GC_OF_BLOCKED_TURNS = 0.4;

    /** This part of its pauses lies in blocked turns: it cleans up after what blocks the loop. */
    public static final double GC_IN_BLOCKED_TURNS = 0.5;

    /** An end follows a rejected promise so soon that it is chance with this probability at most. */
    public static final double REJECTION_BY_CHANCE = 0.01;

    /** Connections to one address that were opened and not closed. */
    public static final long LEAKED_CONNECTIONS = 20;

    /** The same for connections of clients, which keep them open for a while without a leak. */
    public static final long LEAKED_CLIENTS = 300;

    /** This share of the opened connections is still open. */
    public static final double LEAKED_SHARE = 0.8;

    /** This share of them was opened in each half of the time. */
    public static final double LEAKED_GROWTH_SHARE = 0.2;

    /** This share of the open ones had no activity in the last quarter of its lifetime. */
    public static final double LEAKED_SILENT_SHARE = 0.5;

    /** And this share of them was not used any more when the last one was opened. */
    public static final double LEAKED_UNUSED_SHARE = 0.6;

    /** Requests that this process sends and whose response is late. */
    public static final long SLOW_PEER_NS = 300 * MS;

    public static final long SLOW_PEER_REQUESTS = 3;
    public static final double SLOW_PEER_SHARE = 0.2;
    public static final long SLOW_PEER_HIGH_NS = 1000 * MS;

    /** Calls of one operation that take so many times their median, and so long: this many, and this share of them; this share in each half. */
    public static final double TAIL_TIMES = 10;

    public static final long TAIL_NS = 100 * MS;
    public static final long TAIL_CALLS = 5;
    public static final double TAIL_SHARE = 0.03;
    public static final double TAIL_HALF_SHARE = 0.2;

    /** They are this part of the time of a slow request, and of this part of the slow requests. HIGH: this share of the time of all. */
    public static final double TAIL_EXPLAINED_PART = 0.5;

    public static final double TAIL_SHARE_HIGH = 0.3;

    /** A loop's thread was ready but had no CPU: share of the time in which it was ready or ran. */
    public static final double STARVED_SHARE = 0.25;

    /** And share of the whole time, so that threads that rarely run do not count. */
    public static final double STARVED_WALL_SHARE = 0.10;

    /** HIGH where the machine was the cause: the first share. */
    public static final double STARVED_SHARE_HIGH = 0.5;

    /**
     * Meanwhile the worker threads that ran for the first part of that time had this share of all CPUs, by so many samples. HIGH: such waits are
     * the last share of the requests' time.
     */
    public static final double WORKER_SHARE = 0.05;

    public static final double WORKERS_SHARE = 0.5;
    public static final long WORKERS_SAMPLES = 20;
    public static final double WORKERS_REQUESTS_SHARE_HIGH = 0.3;

    /** Of the time of all CPUs, what the hypervisor gave to others. */
    public static final double STEAL_SHARE = 0.05;

    /** Periods in which the limit of CPU time was used up: this many, this share of those with any work, and of the whole time. */
    public static final long THROTTLED_PERIODS = 10;

    public static final double THROTTLED_PERIODS_SHARE = 0.10;
    public static final double THROTTLED_SHARE = 0.05;

    /** HIGH: this share of the whole time. */
    public static final double THROTTLED_SHARE_HIGH = 0.15;

    /** Pressure (PSI): the share of the time in which some tasks were held back, in readings over so long. */
    public static final double PRESSURE_SHARE = 0.10;

    public static final long PRESSURE_READ_NS = 1000 * MS;

    /** The machine had no CPU: no more than this share of its CPUs' time was idle, and at least the second one was had by others. */
    public static final double PRESSURE_IDLE_SHARE = 0.20;

    public static final double PRESSURE_OTHERS_SHARE = 0.50;

    /** A thread waited in the kernel for this share of the recording, and there was pressure for this part of that time. HIGH: the last share. */
    public static final double STALLED_SHARE = 0.10;

    public static final double STALLED_PART = 0.50;
    public static final double STALLED_SHARE_HIGH = 0.50;

    /**
     * HIGH needs this share of the whole recording: shares are of the time in which a thread had a CPU or nothing to do, and that may be a
     * small part of it.
     */
    public static final double RECORDED_SHARE_HIGH = 0.05;

    /** Responses with a status of 500 or more, and requests whose connection closed without a response. */
    public static final long FAILED_REQUESTS = 3;

    public static final double FAILED_SHARE = 0.01;
    public static final double FAILED_SHARE_HIGH = 0.10;

    /** Failed calls of one kind. */
    public static final long FAILED_CALLS = 5;

    /** Lost hits, as a share of all hits. */
    public static final double LOST_SHARE = 0.01;

    /** Descriptors that grow: by so many, over so many readings; of connections that clients opened {@link #LEAKED_CLIENTS}. */
    public static final long GROWN_DESCRIPTORS = 50;

    public static final long GROWTH_READINGS = 4;

    /** What grows follows a line over time: the share of its variance that the line explains. */
    public static final double GROWTH_R2 = 0.8;

    /** This share of the growth is in the second half of the time. */
    public static final double GROWTH_LATE_SHARE = 0.25;

    /** HIGH: this share of the limit is used, or the limit is reached within this time. */
    public static final double DESCRIPTORS_HIGH_SHARE = 0.8;

    public static final double DESCRIPTORS_HIGH_S = 3600;

    /** The heap after full collections: so many of them, a growth of so many bytes and of this share of what the line begins with. */
    public static final long HEAP_COLLECTIONS = 4;

    public static final long HEAP_GROWN_BYTES = 8L << 20;
    public static final double HEAP_GROWN_SHARE = 0.2;

    /** Of the slope to its standard error: a smaller one can be chance. */
    public static final double HEAP_CONFIDENCE = 4;

    /** HIGH: it doubles within the recording. */
    public static final double HEAP_HIGH_SHARE = 1;

    /** So many connections that listening sockets turned away. HIGH: so many. */
    public static final long DROPPED_CONNECTIONS = 1;

    public static final long DROPPED_CONNECTIONS_HIGH = 100;

    /** An event loop that is busy without long turns: share of the time in which its thread had a CPU or nothing to do. */
    public static final double BURNT_SHARE = 0.85;

    /** And this share of the recording: the loop may have had a CPU, or been there, for a short time only. */
    public static final double BURNT_RECORDED_SHARE = 0.10;

    /** The same when timers and immediates, which no one waits for, take half of the busy time. */
    public static final double BURNT_TIMERS_SHARE = 0.6;

    public static final double TIMERS_PART = 0.5;

    /** Turns of {@link #LONG_TURN_NS} take no more than this share of the busy time: otherwise the loop is blocked. */
    public static final double LONG_TURNS_PART = 0.2;

    /** So many turns: a loop that a few turns filled is blocked, not busy. */
    public static final long BURNT_TURNS = 20;

    /** Microtasks, or callbacks of process.nextTick, take this share of the busy time and of the whole time, ... */
    public static final double FLOOD_PART = 0.5;

    public static final double FLOOD_SHARE = 0.3;

    /** ... and this share of their CPU samples is in the code that runs their queue: there are very many small ones. HIGH: the share of the time. */
    public static final double FLOOD_MACHINERY = 0.15;

    public static final long FLOOD_SAMPLES = 10;
    public static final double FLOOD_SHARE_HIGH = 0.5;

    /** A slow request is one of the slowest tenth, and slower than this. */
    public static final double SLOW_QUANTILE = 0.9;

    public static final long SLOW_REQUEST_NS = 20 * MS;

    /** Where neither context switches nor CPU samples show whether a thread had a CPU, times of its own count from this multiple on. */
    public static final int UNMEASURED_MARGIN = 2;

    /** Nothing began on the pool for this long, while this much work waited: its threads are stuck. */
    public static final long POOL_STUCK_NS = 1000 * MS;

    public static final long POOL_STUCK_WORKS = 3;

    /** Statements of a database that are slow by its own time: this many and this share of one statement, or a single one. HIGH: this mean. */
    public static final long SLOW_STATEMENT_NS = 100 * MS;

    public static final long SLOW_STATEMENTS = 3;
    public static final double SLOW_STATEMENT_SHARE = 0.2;
    public static final long SLOW_STATEMENT_ONCE_NS = 2000 * MS;
    public static final long SLOW_STATEMENT_HIGH_NS = 500 * MS;

    /** The same statement this often in one request, in this many requests, and this share of those that send it at all. */
    public static final long REPEATED_STATEMENTS = 10;

    public static final long REPEATED_REQUESTS = 3;
    public static final double REPEATED_REQUESTS_SHARE = 0.2;

    /** A busy loop follows from a statement: of so many samples this share are in what sends statements, of which it is this share. */
    public static final long SENDING_SAMPLES = 10;

    public static final double SENDING_SHARE = 0.5;

    /** A route may order a statement if one is sent during so many of its requests, and nearly all are sent during requests of such routes. */
    public static final double REPEATED_DURING_SHARE = 0.9;

    /** The same call this often in one request, so many of them sent when the one before was answered, for this share of its time. */
    public static final long REPEATED_CALLS = 10;

    public static final double REPEATED_CALLS_IN_SEQUENCE = 0.8;
    public static final double REPEATED_CALLS_SHARE = 0.3;

    /** HIGH: the time for them is this share of these requests' time, and these requests take this long. */
    public static final double REPEATED_SHARE_HIGH = 0.5;

    public static final long REPEATED_REQUEST_HIGH_NS = 100 * MS;

    /** What is sent waited for a free connection: the shortest wait that counts, this many to a peer, this share. HIGH: their mean. */
    public static final long CONNECTION_WAIT_NS = 20 * MS;

    public static final long CONNECTION_WAITS = 5;
    public static final double CONNECTION_WAITS_SHARE = 0.10;
    public static final long CONNECTION_WAIT_HIGH_NS = 100 * MS;

    /** All connections are held by transactions: nothing was sent for this long, while this many requests wait. */
    public static final long HELD_SILENT_NS = 1000 * MS;

    public static final long HELD_REQUESTS = 3;

    /** Lookups of a name that failed: this many, and this share of them. HIGH: the second share. */
    public static final long FAILED_LOOKUPS = 3;

    public static final double FAILED_LOOKUPS_SHARE = 0.05;
    public static final double FAILED_LOOKUPS_SHARE_HIGH = 0.5;

    /** The same name was looked up this often in all, for this many requests, and for this share of the requests of an address. */
    public static final long REPEATED_LOOKUPS = 20;

    public static final long REPEATED_LOOKUP_REQUESTS = 10;
    public static final double REPEATED_LOOKUP_SHARE = 0.8;

    /** Connections to a peer that failed: this many, and this share of the attempts. HIGH: this many requests failed with them. */
    public static final long CONNECTION_ERRORS = 3;

    public static final double CONNECTION_ERRORS_SHARE = 0.05;
    public static final long CONNECTION_ERRORS_REQUESTS_HIGH = 3;

    /** What a package sent to a peer that no request has to do with. */
    public static final long CALLS_HOME = 2;

    /** Of what is sent at any time, so much of that part is sent while nothing is served which that time is of the recording. */
    public static final double CALLS_HOME_ALONE_SHARE = 0.5;

    /** The same operation to the same peer within a request again after it failed: this often, and in this many requests. */
    public static final long RETRIES = 5;

    public static final long RETRIED_REQUESTS = 3;

    /** Commands of Redis that take the longer the more it holds: this many, of this mean time. A note: a smaller share of the time. HIGH: the last two. */
    public static final long COSTLY_COMMANDS = 3;

    public static final long COSTLY_COMMAND_NS = 5 * MS;
    public static final double COSTLY_COMMANDS_SHARE = 0.01;
    public static final double COSTLY_COMMANDS_SHARE_HIGH = 0.10;
    public static final long COSTLY_COMMAND_HIGH_NS = 100 * MS;

    /** Transactions that are open during an outgoing call of the same request: this many, of this mean time, this part of it the call's. HIGH: the last. */
    public static final long HELD_TRANSACTIONS = 3;

    public static final long HELD_TRANSACTION_NS = 20 * MS;
    public static final double HELD_TRANSACTION_PART = 0.5;
    public static final long HELD_TRANSACTION_HIGH_NS = 200 * MS;

    /**
     * Statements of this length that ended with a transaction which had locked rows of their table: this many, this share of the statements of
     * this length, and so many standard deviations more than by chance. HIGH: their mean.
     */
    public static final long LOCK_WAIT_NS = 20 * MS;

    public static final long LOCK_WAITS = 5;
    public static final double LOCK_WAITS_SHARE = 0.5;
    public static final double LOCK_WAITS_DEVIATIONS = 4;
    public static final long LOCK_WAIT_HIGH_NS = 100 * MS;

    /**
     * This share of a peer's transactions begins as late: there is a queue before it, such as that of a proxy. Then only statements of a
     * transaction count, which has its connection.
     */
    public static final double LOCK_WAITS_LATE_BEGINS_SHARE = 0.1;

    /** Of all time of a peer's statements, so much was such waiting: it is why connections were in use. */
    public static final double LOCK_WAITS_OF_PEER = 0.5;

    /**
     * Connections to a peer: so many, this share of them closed, for at most so many requests each. Making one takes so long in the median,
     * and this share of the time for the peer. HIGH: the median.
     */
    public static final long NOT_KEPT_CONNECTIONS = 20;

    public static final double NOT_KEPT_CLOSED_SHARE = 0.8;
    public static final long NOT_KEPT_REQUESTS_OF_ONE = 5;
    public static final long NOT_KEPT_MAKING_NS = 2 * MS;
    public static final double NOT_KEPT_MAKING_SHARE = 0.3;
    public static final long NOT_KEPT_HIGH_NS = 100 * MS;

    /** Requests of a route that wait in JavaScript: so long, this many, and this share of the route's. HIGH: their mean. */
    public static final long SERIALIZED_WAIT_NS = 20 * MS;

    public static final long SERIALIZED_REQUESTS = 8;
    public static final double SERIALIZED_SHARE = 0.5;
    public static final long SERIALIZED_HIGH_NS = 100 * MS;

    /** The loop was busy for no more than this part of the time in which they waited: otherwise they wait for the loop. */
    public static final double SERIALIZED_BUSY_PART = 0.5;

    /** The one before was active for this part of the time in which one waited, or one waited for this part of the time in which it was. */
    public static final double SERIALIZED_BESIDE_PART = 0.5;

    /**
     * One goes on when the one before is done: of this share of them, within this part of the time in which requests are active. And that is no
     * chance: how long they wait differs by this part of its mean, or the moments follow how long the one before was active, within this part of the
     * standard deviation of that.
     */
    public static final double SERIALIZED_QUANTILE = 0.8;

    public static final double SERIALIZED_OFF_PART = 0.1;
    public static final double SERIALIZED_WAITS_VARY = 0.1;
    public static final double SERIALIZED_OFF_OF_VARIATION = 0.25;

    /**
     * As many calls are under way for this part of the time in which requests wait for one of them to end; they go on behind an answer within this
     * part of the mean time between answers (7 of 8 do by chance in less than 1 of 10,000 cases); and of their wait at most this part is known as
     * that for a connection. The standard deviation of the waits is this part of the time between answers, which that of timers with a constant
     * time is not. If this part of the calls are slow statements, these are the cause.
     */
    public static final double LIMITED_FULL_PART = 0.8;

    public static final double LIMITED_OFF_PART = 0.2;
    public static final double LIMITED_KNOWN_PART = 0.2;
    public static final double LIMITED_WAITS_VARY = 0.5;
    public static final double LIMITED_SLOW_PART = 0.5;

    /** Requests of a route that wait for a timer: so long, this many, this share of the route's, for this part of their time. */
    public static final long TIMER_WAIT_NS = 100 * MS;

    public static final long TIMER_WAITS = 5;
    public static final double TIMER_WAITS_SHARE = 0.5;
    public static final double TIMER_WAITS_PART = 0.5;

    /** CPU samples of a loop in TLS handshakes: this many, with whole stacks this many, ... */
    public static final long HANDSHAKE_SAMPLES = 10;

    public static final long HANDSHAKE_FRAMED_SAMPLES = 3;

    /** ... this share of the loop's busy time and of the whole time, for this many connections. HIGH: the second share of the whole time. */
    public static final double HANDSHAKE_CPU_SHARE = 0.25;

    public static final double HANDSHAKE_SHARE = 0.1;
    public static final double HANDSHAKE_SHARE_HIGH = 0.3;
    public static final long HANDSHAKE_CONNECTIONS = 20;

    /** This part of them is RSA's: another kind of key would help. */
    public static final double HANDSHAKE_RSA_PART = 0.3;

    private Thresholds() {}
}
