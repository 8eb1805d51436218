package dev.probestream.collector.internal.protocol.redis;

import dev.probestream.collector.internal.protocol.Moment;
import dev.probestream.collector.internal.protocol.ProtocolException;
import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Cuts what a client writes into commands: arrays of bulk strings ({@code *2\r\n$3\r\nGET\r\n$1\r\nk\r\n}) or lines of words.
 * The first words of a command are kept, and their first bytes.
 */
final class RedisRequests {
    private static final int MAX_WORDS = 16;
    private static final int MAX_WORD_BYTES = 512;
    private static final int MAX_LINE_BYTES = 512;
    private static final int MAX_COUNT = 1024 * 1024;
    private static final long MAX_BULK_BYTES = 512L << 20;

    /** Takes a command when it is complete. */
    interface Receiver {
        void command(Moment begin, List<byte[]> words, int count, long sizeBytes);
    }

    private final Receiver receiver;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();
    private final List<byte[]> words = new ArrayList<>();
    private byte[] word = {};
    private int wordBytes;
    /** Of the current bulk string with its line end; -1: a line is read. */
    private long remainingBytes = -1;
    /** Words to come; 0: a command begins. */
    private int remainingWords;

    private int count;
    private long sizeBytes;
    private Moment begin = Moment.UNKNOWN;
    /** Whether the command that is complete was a line of words. */
    private boolean isLine;

    RedisRequests(Receiver receiver) {
        this.receiver = receiver;
    }

    void reset() {
        line.reset();
        words.clear();
        remainingBytes = -1;
        remainingWords = 0;
        sizeBytes = 0;
    }

    /** Of the command that the receiver is given: whether it is a line of words, and no array. */
    boolean isLine() {
        return isLine;
    }

    /** Whether what is written next begins a command, as far as is known. */
    boolean isAtBeginning() {
        return sizeBytes == 0;
    }

    void take(Moment at, byte[] bytes, int start, int end) throws ProtocolException {
        int from = start;
        while (from < end) {
            if (sizeBytes == 0) {
                begin = at;
            }
            if (remainingBytes >= 0) {
                int some = (int) Math.min(end - from, remainingBytes);
                int kept = (int) Math.max(0, Math.min(Math.min(some, remainingBytes - 2), word.length - wordBytes));
                System.arraycopy(bytes, from, word, wordBytes, kept);
                wordBytes += kept;
                from += some;
                bulk(some);
            } else {
                byte b = bytes[from++];
                sizeBytes++;
                if (b == '\n') {
                    line();
                } else if (line.size() == MAX_LINE_BYTES) {
                    throw new ProtocolException("a line of Redis that is too long");
                } else {
                    line.write(b);
                }
            }
        }
    }

    /** Bytes are missing here; false if it is not known where the next command begins. */
    boolean skip(long missing) {
        if (missing == 0) {
            return true;
        }
        if (remainingBytes < missing) {
            reset();
            return false;
        }
        bulk(missing);
        return true;
    }

    private void bulk(long some) {
        sizeBytes += some;
        remainingBytes -= some;
        if (remainingBytes == 0) {
            remainingBytes = -1;
            if (words.size() < MAX_WORDS) {
                words.add(Arrays.copyOf(word, wordBytes));
            }
            remainingWords--;
            endIfComplete();
        }
    }

    private void line() throws ProtocolException {
        byte[] text = line.toByteArray();
        line.reset();
        int length = text.length > 0 && text[text.length - 1] == '\r' ? text.length - 1 : text.length;
        if (remainingWords > 0) {
            long size = RedisNumbers.of(text, length, '$', MAX_BULK_BYTES);
            remainingBytes = size + 2;
            word = new byte[(int) Math.min(size, MAX_WORD_BYTES)];
            wordBytes = 0;
        } else if (length > 0 && text[0] == '*') {
            isLine = false;
            remainingWords = (int) RedisNumbers.of(text, length, '*', MAX_COUNT);
            count = remainingWords;
            endIfComplete();
        } else {
            inline(text, length);
        }
    }

    private void inline(byte[] text, int length) throws ProtocolException {
        isLine = true;
        int start = 0;
        for (int i = 0; i <= length; i++) {
            if (i < length && (text[i] < ' ' || text[i] == 0x7f)) {
                throw new ProtocolException("no command of Redis");
            }
            if (i == length || text[i] == ' ') {
                if (i > start) {
                    words.add(Arrays.copyOfRange(text, start, i));
                }
                start = i + 1;
            }
        }
        count = words.size();
        endIfComplete();
    }

    private void endIfComplete() {
        if (remainingWords == 0) {
            if (count > 0) {
                receiver.command(begin, List.copyOf(words), count, sizeBytes);
            }
            words.clear();
            sizeBytes = 0;
        }
    }
}
