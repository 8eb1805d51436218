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

/**
 * Redis' protocol, RESP2 and RESP3. A statement is a command; the replies come in the order of the commands. What a server sends by
 * itself (messages of subscriptions, pushes) answers none.
 *
 * <p>Nothing in a reply identifies the command that it answers. A connection that was open already, or of which bytes
 * were lost, is therefore taken up again only where it is silent: at a write behind {@link #SILENCE_NS} without any
 * byte, with as many replies seen as commands.
 */
public final class RedisConversation implements Conversation {
    /** A reply that takes longer is that of a command that waits, which has a connection of its own. */
    static final long SILENCE_NS = 10_000_000;

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

    /** What is known of where the connection is. */
    private enum Step {
        /** Nothing was read yet. */
        BEGINNING,
        IN_STEP,
        /** It is not known which commands the next replies answer. */
        OUT_OF_STEP
    }

    private Step step = Step.BEGINNING;
    private boolean isSubscribed;
    private boolean isMonitor;
    private long lastNs;

    public RedisConversation(RedisText texts, StatementSink sink) {
        this.texts = texts;
        this.sink = sink;
    }

    @Override
    public void written(Moment at, byte[] bytes, int start, int end, long missing) throws ProtocolException {
        if (step == Step.OUT_OF_STEP && at.timestampNs() - lastNs >= SILENCE_NS && awaited.isEmpty()) {
            step = Step.IN_STEP;
            requests.reset();
            replies.reset();
        }
        lastNs = at.timestampNs();
        requests.take(at, bytes, start, end);
        if (!requests.skip(missing)) {
            lost();
        }
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
        if (step == Step.IN_STEP && !isMonitor) {
            replies.take(at, bytes, start, end);
            if (!replies.skip(at, missing)) {
                lost();
            }
        }
    }

    @Override
    public void lost() {
        sink.undecoded(awaited.size());
        awaited.clear();
        requests.reset();
        replies.reset();
        step = Step.OUT_OF_STEP;
    }

    @Override
    public List<Statement> takeOpen() {
        List<Statement> open = new ArrayList<>();
        if (step == Step.IN_STEP) {
            awaited.forEach(one -> open.add(one.statement));
        } else {
            sink.undecoded(awaited.size());
        }
        awaited.clear();
        step = Step.OUT_OF_STEP;
        return open;
    }

    private void command(Moment begin, List<byte[]> words, int count, long sizeBytes) {
        if (step == Step.OUT_OF_STEP || isMonitor) {
            sink.undecoded(1);
            return;
        }
        String operation = RedisText.operation(words);
        Statement statement = new Statement(begin, operation, texts.of(words, count));
        statement.addSent(sizeBytes);
        boolean isOfSubscription = SUBSCRIBING.contains(operation) || UNSUBSCRIBING.contains(operation);
        awaited.add(new Awaited(statement, isOfSubscription ? Math.max(1, count - 1) : 1, isOfSubscription));
        if (awaited.size() > MAX_AWAITED) {
            lost();
        }
    }

    private void reply(Moment at, char type, String first, long sizeBytes) {
        if (step != Step.IN_STEP) {
            return;
        }
        Awaited next = awaited.peekFirst();
        boolean isOfSubscription = type == '>' || (type == '*' && isOfSubscription(next, first));
        if (isOfSubscription && (next == null || !next.isOfSubscription || MESSAGES.contains(first))) {
            return;
        }
        if (next == null) {
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
            sink.answered(next.statement, at);
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
