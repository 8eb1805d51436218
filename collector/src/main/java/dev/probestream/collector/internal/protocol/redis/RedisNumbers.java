package dev.probestream.collector.internal.protocol.redis;

import dev.probestream.collector.internal.protocol.ProtocolException;

/** The numbers of Redis' protocol. */
final class RedisNumbers {
    /** The digits of the greatest number that is asked for are fewer. */
    private static final int MAX_DIGITS = 12;

    private RedisNumbers() {}

    /**
     * The number behind a mark: {@code $12}; -1 of {@code $-1}, which is nothing.
     *
     * @throws ProtocolException if it is none, or greater than {@code max}
     */
    static long of(byte[] line, int length, char mark, long max) throws ProtocolException {
        boolean isNothing = length == 3 && line[0] == mark && line[1] == '-' && line[2] == '1';
        if (isNothing) {
            return -1;
        }
        long number = 0;
        boolean isNumber = length > 1 && length <= MAX_DIGITS && line[0] == mark;
        for (int i = 1; i < length && isNumber; i++) {
            isNumber = line[i] >= '0' && line[i] <= '9';
            number = number * 10 + line[i] - '0';
        }
        if (!isNumber || number > max) {
            throw new ProtocolException("no number of Redis behind " + mark);
        }
        return number;
    }
}
