package dev.probestream.collector.internal.protocol.redis;

import dev.probestream.collector.internal.protocol.Conversation;
import dev.probestream.collector.internal.protocol.Moment;
import dev.probestream.collector.internal.protocol.ProtocolException;
import dev.probestream.collector.internal.protocol.Statement;
import dev.probestream.collector.internal.protocol.StatementSink;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Redis' protocol, RESP2 and RESP3. A statement is a command; the replies come in the order of the commands. What a server sends by
 * itself (messages of subscriptions, pushes) answers none.
 *
 * <p>Nothing in a reply identifies the command that it answers. A connection that was open already, or of which bytes
 * were lost, may be silent because all commands have been answered, or because one takes long. Its first silence therefore
 * begins a trial: replies are counted against commands. Until it has succeeded, statements are unmatched. A reply for which no command is left, or of a
 * type that its command never gets, ends the trial. The connection is taken up where it was silent {@link #TRIAL_SILENCES} times
 * more with every command answered, each time for twice as long as any reply of the trial took.
 *
 * <p>Of a long reply bytes may be missing, and with them where it ends. Where its command is the only one without an answer, all that is
 * read until the next command is its reply. It ended with the last of these bytes if they end a line and what is read next answers the next
 * commands; otherwise the connection is out of step.
 */
public final class RedisConversation implements Conversation {
    /** Replies of commands that do not wait take less. */
    private static final long SILENCE_NS = 10_000_000;

    private static final int TRIAL_SILENCES = 2;

    /** More are not awaited at once. */
    private static final int MAX_AWAITED = 65_536;

    private static final Set<String> SUBSCRIBING = Set.of("SUBSCRIBE", "PSUBSCRIBE", "SSUBSCRIBE");
    private static final Set<String> UNSUBSCRIBING = Set.of("UNSUBSCRIBE", "PUNSUBSCRIBE", "SUNSUBSCRIBE");
    private static final Set<String> MESSAGES = Set.of("message", "pmessage", "smessage");

    /** A command without its reply. */
    private static final class Awaited {
        final Statement statement;
        /** How many confirmations it gets. */
        int replies;

        final boolean isOfSubscription;
        /** Behind the last bytes of a reply of which bytes are missing. */
        @Nullable
        Moment cut;
        /** Whether these bytes end a line. */
        boolean isCutAtLineEnd;

        Awaited(Statement statement, int replies, boolean isOfSubscription) {
            this.statement = statement;
            this.replies = replies;
            this.isOfSubscription = isOfSubscription;
        }
    }

    private final RedisText texts;
    private final StatementSink sink;
    private final RedisRequests requests = new RedisRequests(this::command);
    private final RedisReplies replies = new RedisReplies(this::reply);
    private final Deque<Awaited> awaited = new ArrayDeque<>();
    /** What this read answers behind a cut reply. */
    private final List<Awaited> behindCut = new ArrayList<>();

    /** What is known of where the connection is. */
    private enum Step {
        /** Nothing was read yet. */
        BEGINNING,
        IN_STEP,
        /** It is not known which commands the next replies answer. */
        OUT_OF_STEP,
        /** It may be known. */
        ON_TRIAL
    }

    private Step step = Step.BEGINNING;
    private boolean isSubscribed;
    private boolean isMonitor;
    private long lastNs;
    private int trialSilences;
    /** The longest time of a reply in the trial. */
    private long trialLongestNs;

    public RedisConversation(RedisText texts, StatementSink sink) {
        this.texts = texts;
        this.sink = sink;
    }

    @Override
    public void written(Moment at, byte[] bytes, int start, int end, long missing) throws ProtocolException {
        long silenceNs = at.timestampNs() - lastNs;
        if (awaited.isEmpty() && silenceNs >= Math.max(SILENCE_NS, 2 * trialLongestNs)) {
            silence();
        }
        lastNs = at.timestampNs();
        boolean isRest = !isInStep() && requests.isAtBeginning() && end > start && bytes[start] != '*';
        if (isRest) {
            return; // of a command whose beginning is not known; it is no line of words either
        }
        requests.take(at, bytes, start, end);
        if (!requests.skip(missing)) {
            lost();
        }
    }

    private boolean isInStep() {
        return step == Step.IN_STEP || step == Step.BEGINNING;
    }

    @Override
    public void read(Moment at, byte[] bytes, int start, int end, long missing, byte[] tail, boolean isFirst)
            throws ProtocolException {
        lastNs = at.timestampNs();
        if (step == Step.BEGINNING) {
            if (isFirst) {
                step = Step.IN_STEP;
            } else {
                lost();
            }
        }
        if (isMonitor) {
            return;
        }
        if (!isInStep()
                && missing == 0
                && end > start
                && RedisType.isMark(bytes[start])
                && endsLine(bytes, start, end)) {
            sink.understood();
        }
        if (step == Step.IN_STEP) {
            Awaited first = awaited.peekFirst();
            boolean isLineEnd = missing == 0 ? endsLine(bytes, start, end) : endsLine(tail, 0, tail.length);
            if (first != null && first.cut != null) {
                if (awaited.size() == 1) {
                    cut(first, at, end - start + missing, isLineEnd);
                } else {
                    takeBehindCut(first, at, bytes, start, end, missing, isLineEnd);
                }
                return;
            }
            takeInStep(at, bytes, start, end, missing, isLineEnd);
        } else if (step == Step.ON_TRIAL) {
            try {
                replies.take(at, bytes, start, end);
                if (!replies.skip(at, missing)) {
                    lost();
                }
            } catch (ProtocolException e) {
                lost(); // the rest of a reply
            }
        }
    }

    private static boolean endsLine(byte[] bytes, int start, int end) {
        return end - start >= 2 && bytes[end - 2] == '\r' && bytes[end - 1] == '\n';
    }

    private static void cut(Awaited only, Moment at, long sizeBytes, boolean isLineEnd) {
        only.statement.addReceived(sizeBytes);
        only.cut = at;
        only.isCutAtLineEnd = isLineEnd;
    }

    /** Takes what is read when a command was sent behind the last bytes of a cut reply: the answer to that one if the reply has ended. */
    private void takeBehindCut(
            Awaited cut, Moment at, byte[] bytes, int start, int end, long missing, boolean isLineEnd) {
        if (!cut.isCutAtLineEnd) {
            lost();
            return;
        }
        awaited.removeFirst();
        behindCut.add(cut);
        try {
            takeInStep(at, bytes, start, end, missing, isLineEnd);
        } catch (ProtocolException e) {
            lost();
        }
        if (step == Step.IN_STEP) {
            for (Awaited one : behindCut) {
                sink.answered(one.statement, one.cut == null ? at : one.cut);
            }
        } else {
            behindCut.forEach(one -> sink.unmatched(one.statement));
        }
        behindCut.clear();
    }

    private void takeInStep(Moment at, byte[] bytes, int start, int end, long missing, boolean isLineEnd)
            throws ProtocolException {
        replies.take(at, bytes, start, end);
        if (step != Step.IN_STEP || replies.skip(at, missing)) {
            return;
        }
        Awaited first = awaited.peekFirst();
        if (first == null || awaited.size() > 1 || !isCut(first)) {
            lost();
            return;
        }
        first.statement.replied(replies.isInArray() ? RedisType.name(replies.type()) : "");
        cut(first, at, replies.sizeBytes() + missing, isLineEnd);
        replies.reset();
    }

    /** Whether missing bytes can only be those of the reply to this command, which is the only one without an answer. */
    private boolean isCut(Awaited only) {
        return !only.isOfSubscription
                && !isSubscribed
                && !replies.isOfKnownLength()
                && (!replies.isInArray() || RedisType.isPossible(only.statement.operation(), replies.type(), ""));
    }

    /** Nothing was sent or received for a while, and every command that counts was answered. */
    private void silence() {
        if (step == Step.OUT_OF_STEP) {
            step = Step.ON_TRIAL;
            trialSilences = 0;
            trialLongestNs = 0;
            requests.reset();
            replies.reset();
        } else if (step == Step.ON_TRIAL && replies.hasBegun()) {
            lost(); // the reply to a command that was not seen
        } else if (step == Step.ON_TRIAL) {
            trialSilences++;
            if (trialSilences == TRIAL_SILENCES) {
                step = Step.IN_STEP;
            }
        }
    }

    @Override
    public void lost() {
        if (step != Step.ON_TRIAL) {
            awaited.forEach(one -> sink.unmatched(one.statement));
        }
        awaited.clear();
        requests.reset();
        replies.reset();
        step = Step.OUT_OF_STEP;
        trialLongestNs = 0;
    }

    @Override
    public List<Statement> takeOpen() {
        List<Statement> open = new ArrayList<>();
        if (step == Step.IN_STEP) {
            awaited.removeIf(one -> one.cut == null && open.add(one.statement));
        }
        lost();
        return open;
    }

    private void command(Moment begin, List<byte[]> words, int count, long sizeBytes) {
        if (isMonitor || (!isInStep() && requests.isLine())) {
            sink.undecoded(1);
            return;
        }
        String operation = RedisText.operation(words);
        Statement statement = new Statement(begin, operation, texts.of(words, count));
        statement.addSent(sizeBytes);
        if (!isInStep()) {
            sink.unmatched(statement);
        }
        if (step == Step.OUT_OF_STEP) {
            return;
        }
        boolean isOfSubscription = SUBSCRIBING.contains(operation) || UNSUBSCRIBING.contains(operation);
        awaited.add(new Awaited(statement, isOfSubscription ? Math.max(1, count - 1) : 1, isOfSubscription));
        if (awaited.size() > MAX_AWAITED) {
            lost();
        }
    }

    private void reply(Moment at, char type, String first, long sizeBytes) {
        if (step != Step.IN_STEP && step != Step.ON_TRIAL) {
            return;
        }
        Awaited next = awaited.peekFirst();
        boolean isOfSubscription = type == '>' || (type == '*' && isOfSubscription(next, first));
        if (isOfSubscription && (next == null || !next.isOfSubscription || MESSAGES.contains(first))) {
            return;
        }
        if (next == null || !RedisType.isPossible(next.statement.operation(), type, first)) {
            lost(); // the reply to a command that was not seen
            return;
        }
        next.statement.addReceived(sizeBytes);
        next.replies--;
        if (type == '-' || type == '!') {
            next.replies = 0;
            next.statement.failed(firstWord(first));
        } else {
            isSubscribed |= next.isOfSubscription;
            isMonitor = next.statement.operation().equals("MONITOR");
        }
        if (next.replies == 0) {
            awaited.removeFirst();
            next.statement.replied(RedisType.name(type));
            if (step == Step.IN_STEP && !behindCut.isEmpty()) {
                behindCut.add(next);
            } else if (step == Step.IN_STEP) {
                sink.answered(next.statement, at);
            } else {
                long replyNs = at.timestampNs() - next.statement.written().timestampNs();
                trialLongestNs = Math.max(trialLongestNs, replyNs);
            }
        }
    }

    /** Whether an array of RESP2 is sent by a subscription, or confirms one. */
    private boolean isOfSubscription(Awaited next, String first) {
        String word = first.toUpperCase(Locale.ROOT);
        boolean isConfirmation = SUBSCRIBING.contains(word) || UNSUBSCRIBING.contains(word);
        boolean isConfirmed = next != null && next.isOfSubscription;
        return (isSubscribed || isConfirmed) && (isConfirmation || MESSAGES.contains(first));
    }

    /** The word that begins an error, which is its kind: no other text of it is recorded. */
    private static String firstWord(String error) {
        int end = 0;
        while (end < error.length() && error.charAt(end) >= 'A' && error.charAt(end) <= 'Z') {
            end++;
        }
        boolean isWord = end > 0 && (end == error.length() || error.charAt(end) == ' ');
        return isWord ? error.substring(0, end) : "ERR";
    }
}
