package dev.probestream.collector.internal.protocol.connection;

import dev.probestream.collector.internal.protocol.DatabaseProtocol;
import dev.probestream.collector.internal.protocol.Moment;
import dev.probestream.collector.internal.protocol.ProtocolException;
import dev.probestream.collector.internal.protocol.Statement;
import dev.probestream.collector.internal.protocol.StatementSink;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The connections to databases, and the messages on them. The least recently used one is removed when there are too
 * many. Not thread-safe.
 */
public final class Connections {
    private static final int MAX_CONNECTIONS = 4096;
    private static final float LOAD_FACTOR = 0.75f;
    private static final String CLOSED = "closed";
    /** So many statements wait until it is certain that a connection is a database's. */
    private static final int MAX_HELD = 64;

    /** Takes the statements. */
    public interface Listener {
        /** A statement and the end of its answer. */
        void answered(Endpoint endpoint, DatabaseProtocol protocol, Statement statement, Moment end);

        /** A statement whose answer, or what of it was read, cannot be distinguished from those of others. */
        void unmatched(Endpoint endpoint, DatabaseProtocol protocol, Statement statement);

        /** A statement that has no answer until now. */
        void open(Endpoint endpoint, DatabaseProtocol protocol, Statement statement);

        /** This connection is none to a database, or none any more that can be read. */
        void foreign(Endpoint endpoint);
    }

    /** A buffer that is written. */
    public interface Written {
        /** Copies the known bytes of the next buffer into the array; how many these are, -1 when there are no more. */
        int next(byte[] into);

        /** How long the buffer is that was copied last. */
        long sizeBytes();

        /** Whether there are buffers that {@link #next} did not give. */
        boolean isMore();
    }

    private final DatabaseProtocols protocols;
    private final Listener listener;
    private final byte[] buffer;
    private final Map<Endpoint.Key, Connection> connections = new LinkedHashMap<>(16, LOAD_FACTOR, true);
    /** Of encrypted connections by their streams. */
    private final Map<Endpoint.Key, Endpoint.Key> encrypted = new LinkedHashMap<>();

    private long undecoded;
    private long unmatched;

    /** @param bufferBytes the most that is known of a buffer */
    public Connections(DatabaseProtocols protocols, int bufferBytes, Listener listener) {
        this.protocols = protocols;
        this.buffer = new byte[bufferBytes];
        this.listener = listener;
    }

    /** How many statements were sent and not passed on. */
    public long undecoded() {
        return undecoded;
    }

    /** How many statements were passed on without an answer because it cannot be distinguished from those of others. */
    public long unmatched() {
        return unmatched;
    }

    /** Bytes were written. */
    public void written(Endpoint endpoint, long sequence, Moment at, Written buffers) {
        Connection connection = connection(endpoint);
        connection.next(sequence);
        boolean isFirst = true;
        for (int count = buffers.next(buffer); count >= 0; count = buffers.next(buffer)) {
            if (!connection.written(at, buffer, count, buffers.sizeBytes(), isFirst)) {
                remove(connection);
                listener.foreign(endpoint);
                return;
            }
            isFirst &= count == 0;
        }
        if (buffers.isMore()) {
            connection.lost();
        }
        connection.passUnmatched();
    }

    /**
     * Bytes were read.
     *
     * @param count of the first ones, which are known
     * @param sizeBytes how many these were
     * @param tail the last ones, as far as they are known
     * @param isFirst whether none were read before
     */
    public void read(
            Endpoint endpoint,
            long sequence,
            Moment at,
            byte[] bytes,
            int count,
            long sizeBytes,
            byte[] tail,
            boolean isFirst) {
        Connection connection = connections.get(endpoint.key());
        if (connection == null) {
            return;
        }
        connection.next(sequence);
        // Nothing was there to read after all.
        boolean isEmpty = sizeBytes == 0;
        if (!isEmpty && !connection.read(at, bytes, count, sizeBytes - count, tail, isFirst)) {
            remove(connection);
            listener.foreign(endpoint);
            return;
        }
        connection.passUnmatched();
    }

    /** The other end has closed the connection, or reading failed. */
    public void ended(Endpoint endpoint, Moment at, String code) {
        Connection connection = connections.get(endpoint.key());
        if (connection != null) {
            remove(connection);
            connection.end(at, code);
        }
    }

    /** This end closes the stream. */
    public void closed(int pid, long stream, Moment at) {
        Endpoint.Key below = new Endpoint.Key(pid, stream);
        Endpoint.Key above = encrypted.get(below);
        for (Endpoint.Key key : above == null ? List.of(below) : List.of(below, above)) {
            Connection connection = connections.get(key);
            if (connection != null) {
                remove(connection);
                connection.end(at, CLOSED);
            }
        }
    }

    /** Messages from here on are not seen for a while, or at all: passes on what is open. */
    public void interrupt() {
        for (Connection connection : new ArrayList<>(connections.values())) {
            connection.takeOpen();
        }
        connections.clear();
        encrypted.clear();
    }

    private Connection connection(Endpoint endpoint) {
        Connection known = connections.get(endpoint.key());
        if (known != null) {
            return known;
        }
        Connection added = new Connection(endpoint);
        connections.put(endpoint.key(), added);
        if (endpoint.tls() != 0) {
            encrypted.put(new Endpoint.Key(endpoint.pid(), endpoint.stream()), endpoint.key());
        }
        if (connections.size() > MAX_CONNECTIONS) {
            Iterator<Connection> eldest = connections.values().iterator();
            Connection forgotten = eldest.next();
            eldest.remove();
            encrypted.values().remove(forgotten.endpoint.key());
            forgotten.lost();
            forgotten.passLast();
        }
        return added;
    }

    private void remove(Connection connection) {
        connections.remove(connection.endpoint.key());
        encrypted.values().remove(connection.endpoint.key());
    }

    /** One connection. */
    private final class Connection implements StatementSink {
        private final Endpoint endpoint;
        private DatabaseProtocols.@Nullable Recognized recognized;
        /** Whether an answer was decoded: it is a database's. */
        private boolean isKnown;
        /** Whether what was read is of the protocol. */
        private boolean isUnderstood;
        /** Until it is certain that it is a database's, and until all statements of a write are known. */
        private final List<Statement> unmatchedStatements = new ArrayList<>();

        private long lastSequence;

        Connection(Endpoint endpoint) {
            this.endpoint = endpoint;
        }

        /** A hit with this number; a gap means that others were lost. */
        void next(long sequence) {
            if (lastSequence != 0 && sequence != lastSequence + 1) {
                lost();
            }
            if (sequence == 1 && recognized != null) {
                lost();
                passLast();
                recognized = null; // the stream has become another one's
                isUnderstood = false;
            }
            lastSequence = sequence;
        }

        /** Returns false if it is not a connection to a database. */
        boolean written(Moment at, byte[] bytes, int count, long sizeBytes, boolean isFirst) {
            if (recognized != null && isFirst && isKnown && protocols.isNewConnection(bytes, count, sizeBytes)) {
                lost();
                recognized = null;
            }
            if (recognized == null) {
                recognized = protocols.recognize(bytes, count, sizeBytes, this).orElse(null);
                if (recognized == null) {
                    return isKnown || count == 0;
                }
            }
            try {
                recognized.conversation().written(at, bytes, 0, count, sizeBytes - count);
                return true;
            } catch (ProtocolException e) {
                return isStillKnown();
            }
        }

        boolean read(Moment at, byte[] bytes, int count, long missing, byte[] tail, boolean isFirst) {
            if (recognized == null) {
                return true;
            }
            try {
                recognized.conversation().read(at, bytes, 0, count, missing, tail, isFirst);
                return true;
            } catch (ProtocolException e) {
                return isStillKnown();
            }
        }

        /** Whether it is a database's. */
        private boolean isCertain() {
            return isKnown || isUnderstood;
        }

        private boolean isStillKnown() {
            if (isCertain()) {
                lost();
            }
            return isCertain();
        }

        void lost() {
            if (recognized != null) {
                recognized.conversation().lost();
            }
        }

        void end(Moment at, String code) {
            if (recognized != null) {
                for (Statement statement : recognized.conversation().takeOpen()) {
                    statement.failed(code);
                    listener.answered(endpoint, recognized.protocol(), statement, at);
                }
                passLast();
            }
        }

        void takeOpen() {
            if (recognized != null) {
                for (Statement statement : recognized.conversation().takeOpen()) {
                    listener.open(endpoint, recognized.protocol(), statement);
                }
                passLast();
            }
        }

        @Override
        public void answered(Statement statement, Moment at) {
            isKnown = true;
            if (recognized != null) {
                listener.answered(endpoint, recognized.protocol(), statement, at);
            }
        }

        @Override
        public void unmatched(Statement statement) {
            if (isCertain() || unmatchedStatements.size() < MAX_HELD) {
                unmatchedStatements.add(statement);
            } else {
                undecoded++;
            }
        }

        /** Nothing more is known of it: what is held is passed on, or counted. */
        private void passLast() {
            passUnmatched();
            undecoded += unmatchedStatements.size();
            unmatchedStatements.clear();
        }

        private void passUnmatched() {
            if (recognized != null && isCertain()) {
                for (Statement statement : unmatchedStatements) {
                    unmatched++;
                    listener.unmatched(endpoint, recognized.protocol(), statement);
                }
                unmatchedStatements.clear();
            }
        }

        @Override
        public void understood() {
            isUnderstood = true;
        }

        @Override
        public void undecoded(int count) {
            undecoded += count;
        }
    }
}
