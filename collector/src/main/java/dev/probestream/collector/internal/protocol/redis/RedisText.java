package dev.probestream.collector.internal.protocol.redis;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static java.nio.charset.StandardCharsets.UTF_8;

import dev.probestream.collector.internal.redact.RedisMask;
import dev.probestream.collector.internal.redact.TextRules;
import dev.probestream.collector.probe.Disclosure;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The texts of commands as they are recorded: the name, the first key without the parts that may be an identity or a secret, and no
 * other argument. Not thread-safe.
 */
public final class RedisText {
    private static final int MAX_BYTES = 512;
    private static final String MASK = "***";
    private static final String ELLIPSIS = "…";
    /** A part of a key that is longer than this is no word. */
    private static final int MAX_WORD_BYTES = 24;

    /** Commands whose first argument is a command, too. */
    private static final Set<String> CONTAINERS = Set.of(
            "ACL",
            "CLIENT",
            "CLUSTER",
            "COMMAND",
            "CONFIG",
            "DEBUG",
            "FUNCTION",
            "LATENCY",
            "MEMORY",
            "MODULE",
            "OBJECT",
            "PUBSUB",
            "SCRIPT",
            "SENTINEL",
            "SLOWLOG",
            "XGROUP",
            "XINFO");
    /** Commands whose first argument is no key and may be secret. */
    private static final Set<String> WITHOUT_KEY = Set.of(
            "AUTH",
            "HELLO",
            "ECHO",
            "PING",
            "EVAL",
            "EVALSHA",
            "EVAL_RO",
            "EVALSHA_RO",
            "FCALL",
            "FCALL_RO",
            "SELECT",
            "MIGRATE",
            "SWAPDB",
            "WAIT",
            "SCAN",
            "MONITOR",
            "INFO",
            "REPLICAOF",
            "SLAVEOF",
            "PSYNC",
            "SYNC",
            "REPLCONF");

    private final boolean isShown;
    private final ByteBuffer out = ByteBuffer.allocate(TextRules.capacityFor(MAX_BYTES));
    private final RedisMask mask = new RedisMask(out);

    /** @param shown whether arguments are recorded; passwords never are */
    public RedisText(Disclosure shown) {
        this.isShown = shown.queries();
    }

    /** The name of a command, with that of its subcommand: {@code GET}, {@code CLIENT SETNAME}; "" if it is no word. */
    public static String operation(List<byte[]> words) {
        String name = words.isEmpty() ? "" : word(words.get(0));
        String second = words.size() > 1 && CONTAINERS.contains(name) ? word(words.get(1)) : "";
        return second.isEmpty() ? name : name + " " + second;
    }

    /**
     * A command as it is recorded.
     *
     * @param words its name and the arguments that are known
     * @param count how many words it has in all
     */
    public String of(List<byte[]> words, int count) {
        String operation = operation(words);
        if (operation.isEmpty()) {
            return MASK;
        }
        return isShown ? shown(words, count) : masked(operation, words, count);
    }

    private String shown(List<byte[]> words, int count) {
        out.clear();
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < words.size() && text.length() < MAX_BYTES; i++) {
            byte[] word = words.get(i);
            int end = Math.min(word.length, MAX_BYTES);
            out.clear();
            if (i == 0) {
                mask.copyCommand(ByteBuffer.wrap(word), 0, end);
            } else {
                mask.copyArgument(ByteBuffer.wrap(word), 0, end);
            }
            text.append(i == 0 ? "" : " ").append(new String(out.array(), 0, out.position(), UTF_8));
        }
        boolean isCut = words.size() < count || text.length() > MAX_BYTES;
        return isCut ? text.substring(0, Math.min(text.length(), MAX_BYTES)) + ELLIPSIS : text.toString();
    }

    private static String masked(String operation, List<byte[]> words, int count) {
        int named = operation.indexOf(' ') < 0 ? 1 : 2;
        boolean hasKey = named == 1 && words.size() > 1 && !WITHOUT_KEY.contains(operation) && !isContainer(operation);
        StringBuilder text = new StringBuilder(operation);
        if (hasKey) {
            text.append(' ').append(maskedKey(words.get(1)));
        }
        if (count > named + (hasKey ? 1 : 0)) {
            text.append(' ').append(MASK);
        }
        return text.toString();
    }

    private static boolean isContainer(String operation) {
        return CONTAINERS.contains(operation);
    }

    /** {@code user:42:name} becomes {@code user:***:name}: what is between separators and is no short word of letters is masked. */
    static String maskedKey(byte[] key) {
        StringBuilder text = new StringBuilder();
        int length = Math.min(key.length, MAX_BYTES / 4);
        int start = 0;
        for (int i = 0; i <= length; i++) {
            boolean isSeparator = i < length && ":/.-_{}|".indexOf(key[i]) >= 0;
            if (i == length || isSeparator) {
                text.append(part(key, start, i));
                start = i + 1;
            }
            if (isSeparator) {
                text.append((char) key[i]);
            }
        }
        return length < key.length ? text + ELLIPSIS : text.toString();
    }

    private static String part(byte[] key, int start, int end) {
        boolean isWord = end - start <= MAX_WORD_BYTES;
        for (int i = start; i < end && isWord; i++) {
            int lower = key[i] | 0x20;
            isWord = lower >= 'a' && lower <= 'z';
        }
        return isWord ? new String(key, start, end - start, US_ASCII) : MASK;
    }

    /** In capitals; "" if it is none. */
    private static String word(byte[] bytes) {
        boolean isWord = bytes.length > 0 && bytes.length <= MAX_WORD_BYTES;
        for (int i = 0; i < bytes.length && isWord; i++) {
            int lower = bytes[i] | 0x20;
            isWord = (lower >= 'a' && lower <= 'z') || (i > 0 && "._0123456789".indexOf(bytes[i]) >= 0);
        }
        return isWord ? new String(bytes, US_ASCII).toUpperCase(Locale.ROOT) : "";
    }
}
