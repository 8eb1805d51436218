package dev.probestream.convert.request;

import dev.probestream.convert.errno.ErrnoNames;
import dev.probestream.convert.request.context.HandleId;
import dev.probestream.convert.request.context.OwnerSource;
import dev.probestream.convert.request.http.Llhttp;
import dev.probestream.convert.request.plan.LostHits;
import dev.probestream.convert.request.split.RequestPhase;
import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/** A stream of libuv, mostly a TCP connection, from accept or connect to close; and the requests on it. */
final class Connection {
    /** What has happened so far while the loop handles the stream this time. */
    enum Handling {
        /** It may be that it can be written to, or that it is connected. */
        NOTHING_READ,
        BYTES_READ,
        /** The other end has closed it, or it broke. */
        END_READ
    }

    final int pid;
    /** The pointer; 0 = unknown. */
    final long stream;

    /** "" = unknown: it was there before the capture, and its address could not be read. */
    String remote = "";

    String local = "";
    /** Client: the host name that was looked up for it; "" = none. */
    String peerName = "";

    long tls;
    /** Server: begun and not answered. Client: written, and not read to its end. Oldest first. */
    final Deque<Exchange> pending = new ArrayDeque<>();

    final LastWrite writes = new LastWrite();
    /** Whose request is being read. */
    @Nullable
    Exchange reading;

    /** Whose answer is being written, or was the last one. */
    @Nullable
    Exchange answering;

    /** Which request or answer began last while the stream is being handled this time. */
    @Nullable
    Exchange handled;

    /** The use of a connection of another protocol; null = it carries HTTP. */
    @Nullable
    PlainTalk talk = new PlainTalk();

    final HandleId handleId = new HandleId();

    /** Node's parser has read an answer on it: it is one of Node's http, whose handle gets a new async id for each request. */
    boolean isParsedByNode;

    /** The number of the asynchronous context in which the connection was made; 0 = none, or unknown. */
    long madeIn;

    /** Whose request was the first, and whose the latest, that was written to it as a client; null = none, or not known. */
    @Nullable
    Exchange firstUser;

    @Nullable
    Exchange lastUser;

    /** Who asked for the connection, until the first request is written. */
    @Nullable
    Exchange orderedBy;

    /** By what that is known. */
    @Nullable
    OwnerSource orderedBySource;

    /** When it was asked for. */
    private long orderedNs;

    /** Requests that were written before the one in front of them was answered; null = there are none. */
    @Nullable
    PipelinedAnswers pipelined;

    /** The HTTP/2 session that reads from it; null = none that is known. */
    Http2Streams.@Nullable Session http2;

    Handling handling = Handling.NOTHING_READ;
    /** Of the latest read, until a request begins in it. */
    long unclaimedBytes;

    /** All that was read until the last hit that has it; -1 = none has it. */
    long readTotal = -1;

    /** All that a server's parser got of it until the last hit that has it, decrypted with TLS; -1 = none has it. */
    long parsedTotal = -1;

    /** From when on hits were lost of requests that were given up before the next one; -1 = there are none. */
    long givenUpFromNs = -1;

    /** It has served; what it writes is not a request. */
    boolean isServer;

    /** Its requests are known by the readings that begin with them, and by no parser. */
    boolean isKnownByReadings;

    /** Its client writes requests behind one another, and not all of them have hits: whose answer is whose is not known. */
    boolean hidesRequests;

    /** A request was read whose end is not known to be that of its reading: another one may be behind it. */
    boolean mayHideRequests;

    /** A request was read whose begin was not seen: it may be its answer that comes next. */
    boolean mayOweUnseen;

    /** The next write has the last chunk of an answer. */
    boolean writesLastChunk;

    /** Since when the loop handles it; -1 = it does not. */
    long handledFromNs = -1;

    /** When bytes were read from it last; -1 = never. */
    long readNs = -1;

    boolean isClosed;

    /** The negative errno or UV_EOF with which the first read or write failed; 0 = none did. */
    private long failure;

    /** Its beginning was seen, so that its addresses are those of that event. */
    boolean isSeenToBegin;

    boolean isUpgraded;
    /** In this handling. */
    private int begunRequests;

    /** It was asked for and is not there yet. */
    boolean isAwaited;

    private boolean isConnecting;

    Connection(int pid, long stream) {
        this.pid = pid;
        this.stream = stream;
    }

    boolean isTls() {
        return tls != 0;
    }

    /**
     * A hit has the total that was read from the stream until now.
     *
     * @param reading how much of it in the reading at hand; -1 = unknown
     * @return how much since the last such hit; -1 = unknown
     */
    long readUpTo(long total, long reading) {
        long before = readTotal;
        readTotal = total;
        if (before < 0) {
            return isSeenToBegin ? total : reading;
        }
        return Math.max(0, total - before);
    }

    /** A read ended, or a write failed, with that negative errno or UV_EOF. */
    void failed(long result) {
        if (failure == 0) {
            failure = result;
        }
    }

    /** Why what is under way on it has no end: an error's name, "EOF" if the other end has closed it; "" = unknown. */
    String failureName() {
        return failure == 0 ? "" : ErrnoNames.name(failure);
    }

    /** Whether it is not known whose answer it is that begins with this status: also if no request is known that it could be of. */
    boolean hidesRequests(int status) {
        hidesRequests |= isKnownByReadings && pending.isEmpty() && !Llhttp.isInformational(status);
        return hidesRequests;
    }

    /** Whether a client waits for an answer on it. */
    boolean awaitsAnswer() {
        Exchange oldest = pending.peek();
        return oldest != null && !oldest.isServer();
    }

    /** Whether one request at a time uses it, and returns it: it does not carry HTTP. */
    boolean isLent() {
        return !isServer && talk != null && talk.isLent();
    }

    /** The loop begins to handle it. */
    void beginHandling(long nowNs) {
        handledFromNs = nowNs;
        handled = null;
        handling = Handling.NOTHING_READ;
        unclaimedBytes = 0;
        begunRequests = 0;
        handleId.beginHandling();
        if (talk != null) {
            talk.beginHandling(nowNs);
        }
    }

    /** Whether something was written to it, as a client. */
    boolean hasSpoken() {
        return talk == null || talk.hasWritten();
    }

    /** It was handled until then. */
    void endHandling(long nowNs) {
        handledFromNs = -1;
        Exchange oldest = pending.peek();
        if (oldest != null && !oldest.isServer() && !oldest.isParsed && oldest.endNs() >= 0) {
            oldest.stopAwaitingNetwork(nowNs); // whether more is to come is known to the application alone
        }
    }

    /** A request's first byte was parsed. */
    void beginReading(Exchange request) {
        reading = request;
        handled = request;
        handling = Handling.BYTES_READ;
        begunRequests++;
    }

    /** A part of a request was parsed whose begin was not seen. */
    void readUnseen() {
        mayOweUnseen = true;
        begunRequests++;
    }

    /**
     * And its last one: what follows deals with the whole message. After several at once it is one of theirs, and it is
     * unknown which.
     */
    void readWhole(Exchange request) {
        reading = null;
        handled = begunRequests > 1 ? null : request;
    }

    /** The request in whose context the handling of this stream runs at the moment; null = none that is known. */
    @Nullable
    Exchange own() {
        if (handled != null) {
            return handled;
        }
        if (reading != null) {
            return reading;
        }
        Exchange oldest = pending.peek();
        return switch (handling) {
            case NOTHING_READ -> answering != null ? answering : oldest;
            case BYTES_READ -> oldest == null || oldest.isServer() ? null : oldest;
            case END_READ -> oldest;
        };
    }

    /** The request that the work in the handling is for; null = unknown, also where it may be another's, whose hits were lost. */
    @Nullable
    Exchange root(LostHits lost, long nowNs) {
        Exchange own = own();
        if (own != null) {
            return own.mayBeLeft(lost, nowNs) ? null : own.root();
        }
        if (talk == null || !talk.hasWritten()) {
            return orderer(lost, nowNs);
        }
        Exchange asked = talk.root(lost, nowNs);
        return asked == null || asked.endNs() >= 0 ? null : asked; // what was answered works no longer
    }

    /** Who asked for the connection, if the first request is not written; null = unknown. */
    @Nullable
    Exchange orderer(LostHits lost, long nowNs) {
        return lost.mayHideTalk(orderedNs, nowNs) ? null : orderedBy;
    }

    /**
     * Of a server: the request whose answer Node is about to write, or is writing; null = not known. Of requests that
     * came before the one in front of them was answered, it is not known when their turn begins.
     */
    @Nullable
    Exchange beingServed(long callbackStartNs) {
        Exchange next = pending.peek();
        if (mayOweUnseen) {
            return null;
        }
        if (!isServer || next == null) {
            return isServer && answering != null && !isLeft(answering, callbackStartNs) ? answering : null;
        }
        boolean isPipelined = pending.size() > 1 || (answering != null && answering.endNs() >= next.startNs);
        return isPipelined ? null : next;
    }

    /**
     * Whether Node's socket sends its answer no more, so that another request is served, whose begin was lost. That is so from the next callback
     * on if the answer is whole, and else, if the request was read to its end, once more was read.
     */
    private boolean isLeft(Exchange answered, long callbackStartNs) {
        long endNs = answered.endNs();
        boolean isWhole = answered.answerEnd.isPast() && callbackStartNs > endNs;
        return endNs >= 0 && (isWhole || (answered.isParsed && readNs > endNs));
    }

    /** The request that bytes written now belong to; null = none. */
    @Nullable
    Exchange writing() {
        if (isUpgraded) {
            return null;
        }
        Exchange newest = pending.peekLast();
        if (newest != null && !newest.isServer()) {
            return newest;
        }
        return answering != null ? answering : pending.peek();
    }

    void beginConnecting(Exchange ordering, @Nullable OwnerSource source, long fromNs) {
        orderedBy = ordering;
        orderedBySource = source;
        orderedNs = fromNs;
        isConnecting = true;
        ordering.sweep.begin(RequestPhase.NETWORK, fromNs);
    }

    /** It is there, or will never be. */
    void endConnecting(long atNs) {
        if (isConnecting && orderedBy != null) {
            orderedBy.sweep.end(RequestPhase.NETWORK, atNs);
        }
        isConnecting = false;
        isAwaited = false;
    }

    /** A request was handed out early. */
    void forget(Exchange exchange) {
        pending.remove(exchange);
        if (answering == exchange) {
            answering = null;
        }
        if (reading == exchange) {
            reading = null;
        }
    }
}
