package dev.probestream.convert.request;

import dev.probestream.convert.request.Request.Outcome;
import dev.probestream.convert.request.Request.Side;
import dev.probestream.convert.request.http.Llhttp;
import dev.probestream.convert.request.plan.KnownRoles;
import dev.probestream.convert.request.plan.LostHits;
import dev.probestream.convert.request.plan.Role;
import dev.probestream.convert.request.split.RequestPhase;
import java.io.IOException;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** All requests that are not over, in the order of their beginning. Bounded: beyond {@value #LIMIT} the oldest is handed out. */
final class Exchanges {
    static final int LIMIT = 1 << 16;

    private final RequestHandler handler;
    private final KnownRoles known;
    private @Nullable Exchange first;
    private @Nullable Exchange last;
    private int size;
    /** What Node calls a connect that the process gave up; here also a request whose connection the process closed. */
    private static final String GIVEN_UP = "ECANCELED";

    private long lastNumber;
    /** By thread. */
    private final PointerTable<OpenRequests> open = new PointerTable<>(LIMIT);

    private boolean isComplete;
    private LostHits lost = new LostHits();

    Exchanges(RequestHandler handler, KnownRoles known) {
        this.handler = handler;
        this.known = known;
    }

    /** Whether the last chunk of an answer has a hit. */
    boolean seesLastChunks() {
        return known.has(Role.HTTP_LASTCHUNK);
    }

    /** When hits of the capture were lost, so that requests and answers may not have been seen. */
    void lost(LostHits hits) {
        lost = hits;
    }

    LostHits lost() {
        return lost;
    }

    /** Outside of the times of losses no hit is missing: what was not written was not there. */
    void trustAbsence() {
        isComplete = true;
    }

    Exchange begin(Side side, @Nullable Exchange parent, Connection connection, int tid, long startNs)
            throws IOException {
        if (size >= LIMIT && first != null) {
            leave(first, startNs);
        }
        Exchange added = new Exchange(++lastNumber, side, parent, connection, tid, startNs);
        added.earlier = last;
        if (last == null) {
            first = added;
        } else {
            last.later = added;
        }
        last = added;
        size++;
        added.isTls = connection.isTls();
        if (side == Side.SERVER) {
            OpenRequests ofThread = openOn(connection.pid, tid);
            ofThread.begin();
            added.open = ofThread;
        }
        return added;
    }

    /** What that thread serves. */
    OpenRequests openOn(int pid, int tid) {
        OpenRequests ofThread = open.get(pid, tid);
        if (ofThread == null) {
            ofThread = new OpenRequests();
            open.put(pid, tid, ofThread);
        }
        return ofThread;
    }

    /** It has an end, and that is it. */
    void complete(Exchange exchange, long nowNs) throws IOException {
        boolean isUpgrade = Llhttp.switchesProtocol(exchange.method, exchange.status);
        over(exchange, isUpgrade ? Outcome.UPGRADED : Outcome.COMPLETE, nowNs);
    }

    /** Nothing is known of its end. */
    void unmatched(Exchange exchange, long nowNs) throws IOException {
        over(exchange, Outcome.UNKNOWN, nowNs);
    }

    /** Nothing is known of its answer, either. */
    void giveUp(Exchange exchange, long nowNs) throws IOException {
        exchange.forgetAnswer();
        unmatched(exchange, nowNs);
    }

    /**
     * More was read from the connection than the hits show, so that requests on it may not have been seen: the answers since the last one that was seen
     * may be theirs.
     */
    void missedBefore(Connection connection, long nowNs) throws IOException {
        Exchange answered = connection.answering;
        if (answered != null && lost.areAny(answered.uncertainFromNs, nowNs)) {
            connection.pending.addFirst(answered);
            connection.answering = null;
        }
        giveUpUnanswered(connection, nowNs);
    }

    /**
     * The connection's next request comes, and all that was read since the hit before is that one's: no request between them was lost. What was written
     * meanwhile is the answer to the one before, unless the connection is another one by now.
     */
    void missedNone(Connection connection, long nowNs) {
        Exchange answered = connection.answering;
        if (answered != null
                && answered.uncertainFromNs == answered.startNs
                && !lost.mayHideConnection(answered.startNs, nowNs)) {
            answered.hasOwnHead = true;
        }
    }

    /**
     * The connection's next request comes. Where hits were lost, the answers to those before it may not have been seen; the next one that is seen is then
     * not theirs.
     */
    void giveUpUnanswered(Connection connection, long nowNs) throws IOException {
        Exchange oldest = connection.pending.peek();
        if (oldest == null || !lost.areAny(oldest.uncertainFromNs, nowNs)) {
            return;
        }
        if (!isAnswered(connection.pending.getLast())) {
            connection.givenUpFromNs = oldest.uncertainFromNs;
        }
        connection.reading = null;
        connection.pipelined = null;
        for (Exchange next = connection.pending.poll(); next != null; next = connection.pending.poll()) {
            giveUp(next, nowNs);
        }
    }

    /** It is looked at no longer; {@code nowNs} is how far it was watched. */
    void leave(Exchange exchange, long nowNs) throws IOException {
        if (isAnswered(exchange)) {
            complete(exchange, nowNs);
        } else {
            over(exchange, Outcome.OPEN, nowNs);
        }
    }

    /** The probes are not watched from then on. What was answered is over if it is known that no more of it came. */
    void interrupt(long nowNs) throws IOException {
        for (Exchange next = first; next != null; next = first) {
            boolean isWhole = next.isOneEvent || (next.isServer() && next.answerEnd.isWhole());
            if (isAnswered(next) && isWhole) {
                complete(next, nowNs);
            } else {
                over(next, Outcome.UNOBSERVED, nowNs);
            }
        }
    }

    /** A client's that a parser of Node reads is over at the parser's end of the message; it is none of these then. */
    private static boolean isAnswered(Exchange exchange) {
        return exchange.endNs() >= 0 && (exchange.isServer() || !exchange.isParsed);
    }

    /**
     * Completes the requests that were answered, so that the next one is not pipelined, though the beginning of the answer was not seen:
     * what was written, or read, is all there is of it.
     */
    void dropAnswered(Connection connection, long nowNs) throws IOException {
        for (Exchange oldest = connection.pending.peek();
                oldest != null && oldest.endNs() >= 0;
                oldest = connection.pending.peek()) {
            complete(oldest, nowNs);
            connection.pending.remove();
        }
    }

    /**
     * Completes what was asked before the request that is being answered. Node answers in the order of the requests. Who writes an answer in its own context has none before it: theirs were
     * lost, and must not be taken for those of the requests that follow.
     */
    void dropUnanswered(Connection connection, @Nullable Exchange writer, long nowNs) throws IOException {
        if (writer == null || writer.connection != connection || !connection.pending.contains(writer)) {
            return;
        }
        for (Exchange oldest = connection.pending.remove(); oldest != writer; oldest = connection.pending.remove()) {
            if (lost.areAny(oldest.uncertainFromNs, nowNs)) {
                giveUp(oldest, nowNs);
                continue;
            }
            if (oldest.endNs() < 0) {
                oldest.endsAt(writer.startNs);
            }
            complete(oldest, writer.startNs);
        }
        connection.pending.addFirst(writer);
    }

    /**
     * The connection of that request is no more.
     *
     * @param isClosedByProcess whether this process is known to have closed it
     */
    void disconnected(Exchange exchange, boolean isClosedByProcess, long atNs) throws IOException {
        if (!exchange.isServer() && (!isAnswered(exchange) || isCut(exchange))) {
            String failure = exchange.connection.failureName();
            boolean isGivenUp = failure.isEmpty() && isClosedByProcess && isComplete && known.hasReadings();
            exchange.details = exchange.details.failed(isGivenUp ? GIVEN_UP : failure);
        }
        closed(exchange, atNs);
    }

    /** Nothing more comes of it. */
    void closed(Exchange exchange, long atNs) throws IOException {
        if (isAnswered(exchange) && !isCut(exchange)) {
            complete(exchange, atNs);
        } else {
            exchange.endsAt(atNs);
            over(exchange, Outcome.ABORTED, atNs);
        }
    }

    /** Whether its answer is shorter than its head says. */
    private boolean isCut(Exchange exchange) {
        return isComplete && exchange.answerEnd.isMissing();
    }

    private void over(Exchange exchange, Outcome seen, long nowNs) throws IOException {
        if (exchange.isOver) {
            return;
        }
        Outcome outcome = seen;
        if (seen != Outcome.UNKNOWN && seen != Outcome.UNOBSERVED && isUncertain(exchange, nowNs)) {
            exchange.forgetAnswer();
            outcome = Outcome.UNKNOWN;
        }
        long splitEndNs = exchange.endNs();
        if (outcome == Outcome.OPEN || outcome == Outcome.UNOBSERVED) {
            splitEndNs = Math.max(exchange.startNs, nowNs);
            exchange.sweep.mark(splitEndNs);
        } else if (splitEndNs > exchange.sweep.markedAtNs()) {
            exchange.sweep.mark(splitEndNs);
        }
        exchange.stopAwaitingNetwork(nowNs);
        exchange.isOver = true;
        exchange.leaveOpen();
        unlink(exchange);
        Set<RequestPhase> parts = known.parts();
        if (outcome == Outcome.UNKNOWN) {
            parts.clear();
        } else if (exchange.isOneEvent) {
            parts.add(RequestPhase.NETWORK);
        }
        boolean countsReceived = exchange.isOneEvent || known.countsReceived();
        boolean countsSent = exchange.isOneEvent || known.countsSent();
        handler.request(exchange.request(outcome, splitEndNs, parts, countsReceived, countsSent));
    }

    /**
     * Whether a lost hit may have been its end, or the begin of another request, whose answer was then taken for its own. {@code nowNs} is when
     * it is known to be over.
     */
    private boolean isUncertain(Exchange exchange, long nowNs) {
        if (exchange.isOneEvent || exchange.hasOwnEnd) {
            return false;
        }
        boolean isWhole = exchange.isServer() && exchange.answerEnd.isWhole();
        if (!exchange.hasOwnHead) {
            return lost.areAny(
                    exchange.uncertainFromNs, isWhole ? exchange.endNs() : Math.max(nowNs, exchange.endNs()));
        }
        return !isWhole && lost.areAny(exchange.headNs, nowNs);
    }

    private void unlink(Exchange exchange) {
        Exchange before = exchange.earlier;
        Exchange after = exchange.later;
        if (before == null) {
            first = after;
        } else {
            before.later = after;
        }
        if (after == null) {
            last = before;
        } else {
            after.earlier = before;
        }
        exchange.earlier = null;
        exchange.later = null;
        size--;
    }

    /** Hands out what was answered by then and has been read as far as it goes. */
    void quietSince(long monotonicNs) throws IOException {
        Exchange next = first;
        while (next != null) {
            Exchange exchange = next;
            next = exchange.later;
            boolean isRead = exchange.isParsed || !exchange.isServer() || !known.has(Role.HTTP_END);
            if (isAnswered(exchange) && isRead && exchange.endNs() <= monotonicNs) {
                complete(exchange, monotonicNs);
                exchange.connection.forget(exchange);
            }
        }
    }

    void finish(long monotonicNs) throws IOException {
        for (Exchange next = first; next != null; next = first) {
            leave(next, monotonicNs);
        }
    }

    int size() {
        return size;
    }
}
