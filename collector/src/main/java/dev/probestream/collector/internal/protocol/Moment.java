package dev.probestream.collector.internal.protocol;

/**
 * When and where bytes were written or read.
 *
 * @param timestampNs CLOCK_MONOTONIC
 * @param tid the thread
 * @param cpu its CPU
 * @param context for whom the thread worked
 * @param batch the statements that begin in these bytes
 */
public record Moment(long timestampNs, int tid, int cpu, Context context, Batch batch) {
    /** Before anything was written or read. */
    public static final Moment UNKNOWN = new Moment(0, 0, 0, Context.NONE);

    /** A moment whose bytes have not been examined yet. */
    public Moment(long timestampNs, int tid, int cpu, Context context) {
        this(timestampNs, tid, cpu, context, new Batch());
    }

    /** How many statements begin in the bytes of one write: a client may send those of several requests at once. */
    public static final class Batch {
        private int statements;

        void add() {
            statements++;
        }

        public int statements() {
            return statements;
        }
    }

    /**
     * The async context of the thread; 0 and empty texts where there is none.
     *
     * @param asyncId of async_hooks
     * @param triggerId likewise
     * @param request the number that the npm package gave a request
     * @param traceId of OpenTelemetry's SDK
     * @param spanId likewise
     * @param servedStream the address of the stream on which the request came that the thread serves
     */
    public record Context(
            long asyncId, long triggerId, long request, String traceId, String spanId, long servedStream) {
        /** None is known. */
        public static final Context NONE = new Context(0, 0, 0, "", "", 0);
    }
}
