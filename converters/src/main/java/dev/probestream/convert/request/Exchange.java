package dev.probestream.convert.request;

import dev.probestream.convert.request.Request.KeepAlive;
import dev.probestream.convert.request.Request.Outcome;
import dev.probestream.convert.request.Request.Side;
import dev.probestream.convert.request.context.OwnerSource;
import dev.probestream.convert.request.plan.LostHits;
import dev.probestream.convert.request.split.RequestPhase;
import dev.probestream.convert.request.split.Sweep;
import dev.probestream.schema.JoinedUrl;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** A request while it is put together. */
final class Exchange implements PendingEdges.Edge {
    private static final int MAX_URL_CHARS = 8192;

    final long number;
    final Side side;
    final @Nullable Exchange parent;
    final Connection connection;
    final int tid;
    final long startNs;
    final Sweep sweep;

    /** Neighbours in the list of those that are not over; kept by {@link Exchanges}. */
    @Nullable
    Exchange earlier;

    @Nullable
    Exchange later;

    /** By what the parent is known. */
    @Nullable
    OwnerSource parentSource;

    String method = "";
    int status;
    long headNs = -1;
    KeepAlive keepAlive = KeepAlive.UNKNOWN;
    boolean isTls;
    RequestDetails details = RequestDetails.EMPTY;
    /** -1 = unknown. */
    long receivedBytes;

    long sentBytes;
    /** Where its answer ends. Of a client only what no parser of Node reads. */
    final AnswerEnd answerEnd;
    /** Server: its request was read to its end. Client: a parser of Node has found the answer. */
    boolean isParsed;

    boolean hasHeaders;
    /** Of a server: one that was not seen may be before it on the connection, whose answer is then taken for its own. */
    boolean isBehindHidden;
    /** Something was written that only announces the answer, such as 100 Continue. */
    boolean isAnnounced;

    /** The event that it comes from has all of it, its bytes and what it waited for. */
    boolean isOneEvent;

    /**
     * A connection that was made in its asynchronous context serves others by now: their callbacks run in that context, too, and what
     * they order inherits it.
     */
    boolean isContextShared;

    /** Likewise, of the context that the npm package sets apart for connections of pools. */
    boolean isConnectionShared;

    /**
     * From when on a hit that was lost makes its end uncertain: its begin, or that of requests in front of it on the connection, which were given
     * up without an answer.
     */
    long uncertainFromNs;

    /** When the hit came that shows its begin. */
    long seenNs = Long.MIN_VALUE;

    /** The head of its answer is its own, even if hits were lost: no other request came on the connection meanwhile. */
    boolean hasOwnHead;

    /** So is its end. */
    boolean hasOwnEnd;

    boolean isOver;

    /** Of a server's request, where it counts as long as nothing was answered; null = it does not. */
    @Nullable
    OpenRequests open;

    private final StringBuilder url = new StringBuilder();
    private long endNs = -1;
    private boolean awaitsNetwork;

    Exchange(long number, Side side, @Nullable Exchange parent, Connection connection, int tid, long startNs) {
        this.number = number;
        this.side = side;
        this.parent = parent;
        this.connection = connection;
        this.tid = tid;
        this.startNs = startNs;
        this.uncertainFromNs = startNs;
        this.sweep = new Sweep(startNs);
        this.answerEnd = new AnswerEnd(connection.isTls());
    }

    /** The request that the work in its context is for: the server's request that ordered it, else itself. */
    Exchange root() {
        return parent == null ? this : parent;
    }

    /** Whether hits were lost since it began, and the bytes that were read do not show that no other request came: it may be over by now, and another one be the current one of its connection. */
    boolean mayBeLeft(LostHits lost, long nowNs) {
        return lost.areAny(uncertainFromNs, nowNs) && !areAllSeen(lost, nowNs);
    }

    private boolean areAllSeen(LostHits lost, long nowNs) {
        return isServer()
                && uncertainFromNs == startNs
                && lost.areAllSeen(connection.pid, connection.stream, seenNs, nowNs);
    }

    boolean isServer() {
        return side == Side.SERVER;
    }

    CharSequence url() {
        return url;
    }

    void appendUrl(String piece) {
        JoinedUrl.append(url, piece);
        url.setLength(Math.min(url.length(), MAX_URL_CHARS));
    }

    /** So many bytes of it came; -1 = the number is unknown. */
    void receive(long bytes) {
        receivedBytes = bytes < 0 || receivedBytes < 0 ? -1 : receivedBytes + bytes;
    }

    /** So many bytes of it are written. */
    void send(long bytes) {
        sentBytes += bytes;
        answerEnd.wrote(bytes);
    }

    /** What was taken for the end of its session is part of the answer, as the connection goes on. */
    void goesOn() {
        long bytes = answerEnd.release();
        if (bytes > 0) {
            send(bytes);
            endNs = Math.max(endNs, answerEnd.heldEndNs());
        }
    }

    /** The request that it is for waits for the other end of the connection. */
    void awaitNetwork(long fromNs) {
        if (!awaitsNetwork) {
            awaitsNetwork = true;
            root().sweep.begin(RequestPhase.NETWORK, fromNs);
        }
    }

    void stopAwaitingNetwork(long atNs) {
        if (awaitsNetwork) {
            awaitsNetwork = false;
            root().sweep.end(RequestPhase.NETWORK, atNs);
        }
    }

    /** As far as is known now it ended then. */
    void endsAt(long atNs) {
        endNs = Math.max(startNs, atNs);
        sweep.mark(endNs);
        leaveOpen();
    }

    /** What was taken for its answer may be another's. */
    void forgetAnswer() {
        status = 0;
        headNs = -1;
        sentBytes = -1;
        details = details.failed("");
        if (!isServer()) {
            receivedBytes = -1;
            keepAlive = KeepAlive.UNKNOWN;
        }
    }

    /** It is no longer one of those of which nothing was answered. */
    void leaveOpen() {
        if (open != null) {
            open.end();
            open = null;
        }
    }

    /** It goes on until the end of what is being done, which lies ahead. */
    void endsAt(long aheadNs, PendingEdges edges) {
        endNs = Math.max(endNs, aheadNs);
        edges.add(endNs, this);
        leaveOpen();
    }

    /** Takes back an end that lies ahead. */
    void endedAlreadyAt(long atNs) {
        endNs = atNs;
    }

    @Override
    public void reached(long atNs) {
        if (atNs == endNs && !isOver) {
            sweep.mark(atNs);
        }
    }

    /** -1 = there is no end in sight. */
    long endNs() {
        return endNs;
    }

    Request request(
            Outcome outcome, long splitEndNs, Set<RequestPhase> known, boolean countsReceived, boolean countsSent) {
        return new Request(
                number,
                parent == null ? 0 : parent.number,
                parent == null ? null : parentSource,
                side,
                connection.pid,
                tid,
                startNs,
                headNs,
                outcome.hasEnd() ? endNs : -1,
                outcome,
                method,
                url.toString(),
                status,
                isTls,
                keepAlive,
                connection.remote,
                connection.local,
                countsReceived ? receivedBytes : -1,
                countsSent ? sentBytes : -1,
                sweep.split(splitEndNs, known),
                (isOneEvent ? details : details.ofHttp(method, url)).to(connection.peerName));
    }
}
