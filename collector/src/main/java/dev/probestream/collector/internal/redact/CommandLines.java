package dev.probestream.collector.internal.redact;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Command lines without their secrets, see {@link ArgumentMask}. */
public final class CommandLines {
    /** TASK_COMM_LEN (include/linux/sched.h) without the NUL. */
    private static final int MAX_NAME_BYTES = 15;

    private CommandLines() {}

    /** Returns the command line of a process, masked. */
    public static List<String> masked(List<String> words) {
        return masked(words, ArgumentMask::begin);
    }

    /**
     * Returns the name of a process or thread, masked: a program may choose it, as {@code process.title} of Node.js does. The
     * kernel keeps its first 15 bytes; a token is recognised by these.
     */
    public static String maskedName(String comm) {
        byte[] bytes = comm.getBytes(UTF_8);
        boolean isToken = bytes.length == MAX_NAME_BYTES && TokenShape.begins(ByteBuffer.wrap(bytes), 0, bytes.length);
        return isToken ? "***" : masked(List.of(comm)).get(0);
    }

    /** Returns the command line of this program, masked: what comes after {@code --} is that of another one. */
    public static List<String> maskedOurs(List<String> words) {
        return masked(words, ArgumentMask::beginOurs);
    }

    private static List<String> masked(List<String> words, Consumer<ArgumentMask> begin) {
        int longest = words.stream()
                .mapToInt(word -> word.getBytes(UTF_8).length)
                .max()
                .orElse(0);
        ByteBuffer out = ByteBuffer.allocate(TextRules.capacityFor(longest));
        ArgumentMask mask = new ArgumentMask(out);
        begin.accept(mask);
        List<String> masked = new ArrayList<>(words.size());
        for (String word : words) {
            byte[] bytes = word.getBytes(UTF_8);
            out.clear();
            mask.copy(ByteBuffer.wrap(bytes), 0, bytes.length);
            masked.add(new String(out.array(), 0, out.position(), UTF_8));
        }
        return List.copyOf(masked);
    }
}
