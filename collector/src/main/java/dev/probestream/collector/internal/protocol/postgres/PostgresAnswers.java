package dev.probestream.collector.internal.protocol.postgres;

import dev.probestream.collector.internal.protocol.Moment;
import dev.probestream.collector.internal.protocol.SqlOperation;
import dev.probestream.collector.internal.protocol.Statement;
import dev.probestream.collector.internal.protocol.StatementSink;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/** What was asked for on one connection and is not answered yet, in the order in which the server answers it. */
final class PostgresAnswers {
    /** More are not awaited at once: a client that does not read. */
    private static final int MAX_AWAITED = 4096;

    /** One answer that is awaited. */
    private static final class Awaited {
        final Statement statement;
        /** Whether it is reported; not that of a Sync without an Execute, unless it fails. */
        boolean isReported;
        /** Whether ReadyForQuery ends it. */
        boolean endsReady;
        /** Whether its tag or its error came. */
        boolean isAnswered;

        Awaited(Statement statement, boolean isReported, boolean endsReady) {
            this.statement = statement;
            this.isReported = isReported;
            this.endsReady = endsReady;
        }
    }

    private final StatementSink sink;
    private final Deque<Awaited> awaited = new ArrayDeque<>();
    /** Whether it is known which answers come next. */
    private boolean isInStep;
    /** Out of step: how many ReadyForQuery are to come for what was seen written. */
    private int readiesToCome;
    /** Whether answers were not seen since the last ReadyForQuery. */
    private boolean isUnseen;
    /** Whether the server skips what comes before the next Sync. */
    private boolean isDiscarding;

    /** Bytes were lost, so that answers that are to come may have been among them. */
    private boolean wasLost;

    private final PostgresTrial trial;

    PostgresAnswers(StatementSink sink, PostgresTrial.Clients clients, boolean isBeginning) {
        this.sink = sink;
        this.trial = new PostgresTrial(clients, sink, isBeginning);
        this.isInStep = isBeginning;
        if (isBeginning) {
            // The server is ready when the connection is made.
            awaited.add(silent(Moment.UNKNOWN, ""));
        }
    }

    private static Awaited silent(Moment begin, String text) {
        return new Awaited(new Statement(begin, SqlOperation.of(text), text), false, true);
    }

    void query(Statement statement) {
        add(new Awaited(statement, true, true));
    }

    void execute(Statement statement) {
        if (!isDiscarding) {
            add(new Awaited(statement, true, false));
        }
    }

    /** A Sync: the last statement before it ends when the server is ready; if there is none, what was parsed may fail. */
    void sync(Moment begin, String parsed, long sizeBytes) {
        Awaited last = awaited.peekLast();
        if (last != null && !last.endsReady && !isDiscarding && isInStep) {
            last.endsReady = true;
            last.statement.addSent(sizeBytes);
            return;
        }
        isDiscarding = false;
        Awaited silent = silent(begin, parsed);
        silent.statement.addSent(sizeBytes);
        add(silent);
    }

    private void add(Awaited one) {
        Awaited last = awaited.peekLast();
        if (isInStep && (last == null || last.endsReady)) {
            trial.sent(last == null, one.statement.written().timestampNs());
        }
        if (!isInStep) {
            passUnmatched(one);
            if (readiesToCome > 0 && !wasLost) {
                trial.sentAhead();
            }
            readiesToCome += one.endsReady ? 1 : 0;
        } else if (awaited.size() == MAX_AWAITED) {
            awaited.add(one);
            lose();
        } else {
            awaited.add(one);
        }
    }

    void copied(long sizeBytes) {
        Awaited last = awaited.peekLast();
        if (last != null) {
            last.statement.addSent(sizeBytes);
        }
    }

    void received(long sizeBytes) {
        Awaited first = awaited.peekFirst();
        if (first != null) {
            first.statement.addReceived(sizeBytes);
        }
    }

    /** A tag, or an answer that stands for one. */
    void completed(Moment at, String tag, long sizeBytes) {
        Awaited first = awaited.peekFirst();
        if (first == null) {
            lose();
            return;
        }
        boolean isFirstTag = first.statement.reply().isEmpty();
        if (isFirstTag && !tag.isEmpty() && !PostgresBytes.isPossible(first.statement.operation(), tag)) {
            lose();
            return;
        }
        first.statement.addReceived(sizeBytes);
        first.statement.replied(tag);
        long rows = PostgresBytes.rows(tag);
        if (rows != Statement.UNKNOWN_ROWS) {
            first.statement.addRows(rows);
        }
        // A query of several statements has several tags; ReadyForQuery ends it.
        if (!first.endsReady) {
            awaited.removeFirst();
            report(first, at);
        }
    }

    void failed(Moment at, String sqlState, long sizeBytes) {
        Awaited first = awaited.peekFirst();
        if (first == null) {
            return; // the server ends the connection
        }
        first.statement.addReceived(sizeBytes);
        first.statement.failed(sqlState);
        first.isAnswered = true;
        if (first.endsReady) {
            // A Sync without an Execute: what it stands behind has failed.
            first.isReported |= !first.statement.text().isEmpty();
            return;
        }
        awaited.removeFirst();
        report(first, at);
        skipToSync();
    }

    /** Behind an error the server reads on to the next Sync: what stands before that is not executed. */
    private void skipToSync() {
        while (!awaited.isEmpty()) {
            Awaited next = awaited.peekFirst();
            next.isReported = false;
            next.isAnswered = true;
            if (next.endsReady) {
                return;
            }
            awaited.removeFirst();
        }
        isDiscarding = true;
    }

    void ready(Moment at, long sizeBytes) {
        sink.understood();
        if (!isInStep) {
            readiesToCome--;
            isInStep = readiesToCome <= 0;
            return;
        }
        Awaited first = awaited.peekFirst();
        if (first == null || !first.endsReady) {
            lose();
            return;
        }
        first.statement.addReceived(sizeBytes);
        awaited.removeFirst();
        trial.ready(first.statement.written().timestampNs(), at.timestampNs());
        report(first, at);
    }

    /** Bytes of answers are not seen from here on. */
    void skipped() {
        isUnseen = true;
    }

    void receivedUnseen(long sizeBytes) {
        received(sizeBytes);
    }

    /** What was read ends with a ReadyForQuery, but how many there were before is not known, nor what they answered. */
    void readyBehindUnseen(Moment at, String tag) {
        boolean wasUnseen = isUnseen;
        isUnseen = false;
        sink.understood();
        if (!isInStep) {
            boolean isBalanced = readiesToCome <= 1;
            readiesToCome = 0;
            isInStep = isBalanced;
            return;
        }
        long readies = awaited.stream().filter(one -> one.endsReady).count();
        Awaited last = awaited.peekLast();
        if (!wasUnseen || readies != 1 || last == null || !last.endsReady) {
            lose();
            return;
        }
        trial.ready(last.statement.written().timestampNs(), at.timestampNs());
        boolean isOnlyOne = awaited.size() == 1;
        while (awaited.size() > 1) {
            Awaited earlier = awaited.removeFirst();
            if (!earlier.isAnswered) {
                passUnmatched(earlier);
            }
        }
        last.statement.replied(tag);
        if (!isOnlyOne || tag.isEmpty() || isSeveral(last.statement.text())) {
            last.statement.forgetRows();
        } else {
            last.statement.addRows(Math.max(0, PostgresBytes.rows(tag)));
        }
        awaited.clear();
        if (tag.isEmpty()) {
            passUnmatched(last);
        } else {
            report(last, at);
        }
    }

    private void passUnmatched(Awaited one) {
        if (one.isReported) {
            one.isReported = false;
            sink.unmatched(one.statement);
        }
    }

    /** Whether a text may be several statements, for which the last tag is not enough. */
    private static boolean isSeveral(String text) {
        int semicolon = text.indexOf(';');
        return text.endsWith("…")
                || (semicolon >= 0 && !text.substring(semicolon + 1).isBlank());
    }

    private void report(Awaited one, Moment at) {
        if (one.isReported) {
            trial.answered(one.statement, at);
        }
    }

    /** From here on nothing is known. */
    void lose() {
        awaited.forEach(this::passUnmatched);
        trial.restart();
        wasLost = true;
        readiesToCome = (int) awaited.stream().filter(one -> one.endsReady).count();
        awaited.clear();
        isInStep = false;
        isUnseen = false;
        isDiscarding = false;
    }

    List<Statement> takeOpen() {
        List<Statement> open = new ArrayList<>();
        boolean isTrusted = trial.isTrusted();
        trial.settle();
        for (Awaited one : awaited) {
            if (!isTrusted) {
                passUnmatched(one);
            } else if (one.isReported) {
                open.add(one.statement);
            }
        }
        awaited.clear();
        isInStep = false;
        trial.restart();
        return open;
    }
}
