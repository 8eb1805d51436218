package dev.probestream.collector.internal.protocol;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

/** What a client and a server say, byte by byte, to be played to a conversation; and the statements that come of it. */
final class Dialogue implements StatementSink {
    private static final int TAIL_BYTES = 256;

    /** One direction at a time. */
    static final class Turn {
        final boolean isWritten;
        final byte[] bytes;
        long silenceNs;

        Turn(boolean isWritten, byte[] bytes) {
            this.isWritten = isWritten;
            this.bytes = bytes;
        }
    }

    final List<Turn> turns = new ArrayList<>();
    final List<String> statements = new ArrayList<>();
    final List<String> unmatched = new ArrayList<>();
    boolean isUnderstood;
    long undecoded;
    private long nowNs = 1_000_000_000;
    private boolean wasRead;

    Dialogue client(byte[]... messages) {
        turns.add(new Turn(true, joined(messages)));
        return this;
    }

    Dialogue server(byte[]... messages) {
        turns.add(new Turn(false, joined(messages)));
        return this;
    }

    /** Nothing is said before the turn that was added last. */
    Dialogue afterSilence(long silenceNs) {
        turns.get(turns.size() - 1).silenceNs = silenceNs;
        return this;
    }

    /** The connection is not new. */
    Dialogue wasOpen() {
        wasRead = true;
        return this;
    }

    static byte[] joined(byte[]... messages) {
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        Arrays.stream(messages).forEach(all::writeBytes);
        return all.toByteArray();
    }

    /** The bytes of a text, in which each character is one. */
    static byte[] bytes(String text) {
        return text.getBytes(ISO_8859_1);
    }

    /** A message of PostgreSQL. */
    static byte[] postgres(char type, String body) {
        byte[] text = body.getBytes(UTF_8);
        int length = text.length + 4;
        return joined(
                new byte[] {
                    (byte) type, (byte) (length >> 24), (byte) (length >> 16), (byte) (length >> 8), (byte) length
                },
                text);
    }

    static byte[] ready() {
        return postgres('Z', "I");
    }

    /** A packet of MySQL. */
    static byte[] mysql(int number, byte[] body) {
        return joined(
                new byte[] {(byte) body.length, (byte) (body.length >> 8), (byte) (body.length >> 16), (byte) number},
                body);
    }

    /** A command of Redis. */
    static byte[] redis(String... words) {
        StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words) {
            text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
        }
        return bytes(text.toString());
    }

    /** Plays all of it, each turn in one piece. */
    Dialogue play(Conversation conversation) throws ProtocolException {
        for (Turn turn : turns) {
            nowNs += turn.silenceNs;
            piece(conversation, turn.isWritten, turn.bytes, 0, turn.bytes.length, 0);
        }
        return this;
    }

    /** Plays it in random pieces. */
    Dialogue playInPieces(Conversation conversation, Random random) throws ProtocolException {
        for (Turn turn : turns) {
            for (int at = 0; at < turn.bytes.length; ) {
                int end = Math.min(turn.bytes.length, at + 1 + random.nextInt(12));
                piece(conversation, turn.isWritten, turn.bytes, at, end, 0);
                at = end;
            }
        }
        return this;
    }

    /** Plays it; of what is read only the first bytes and the last ones are known. */
    Dialogue playCut(Conversation conversation, int knownBytes) throws ProtocolException {
        for (Turn turn : turns) {
            int end = turn.isWritten ? turn.bytes.length : Math.min(turn.bytes.length, knownBytes);
            piece(conversation, turn.isWritten, turn.bytes, 0, end, turn.bytes.length - end);
        }
        return this;
    }

    private void piece(Conversation conversation, boolean isWritten, byte[] bytes, int start, int end, int missing)
            throws ProtocolException {
        nowNs += 1000;
        Moment at = new Moment(nowNs, 1, 0, Moment.Context.NONE);
        if (isWritten) {
            conversation.written(at, bytes, start, end, missing);
        } else {
            byte[] tail = missing == 0
                    ? new byte[0]
                    : Arrays.copyOfRange(bytes, Math.max(end, bytes.length - TAIL_BYTES), bytes.length);
            conversation.read(at, bytes, start, end, missing, tail, !wasRead);
            wasRead = true;
        }
    }

    @Override
    public void answered(Statement statement, Moment at) {
        statements.add(String.join(
                "|",
                statement.operation(),
                statement.text(),
                Long.toString(statement.rows()),
                statement.reply(),
                statement.errorCode()));
    }

    @Override
    public void unmatched(Statement statement) {
        unmatched.add(statement.text());
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
