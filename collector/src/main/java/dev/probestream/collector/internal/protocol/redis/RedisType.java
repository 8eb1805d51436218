package dev.probestream.collector.internal.protocol.redis;

import java.util.Map;

/** The types of replies: their names, as Redis' documentation calls them, and which of them a command gets. */
final class RedisType {
    private static final String STATUS = "+";
    private static final String INTEGER = ":";
    private static final String STRING = "$_";
    private static final String LIST = "*_";
    /** RESP3 has types of its own for what RESP2 sends as arrays. */
    private static final String SET = "*~_";

    private static final String MAP = "*%_";

    /**
     * Of the commands whose replies are of one type, whatever their arguments are: its marks in RESP2 and RESP3
     * (redis.io/docs/latest/commands, "Return information").
     */
    private static final Map<String, String> MARKS = Map.ofEntries(
            Map.entry("APPEND", INTEGER),
            Map.entry("DECR", INTEGER),
            Map.entry("DECRBY", INTEGER),
            Map.entry("DEL", INTEGER),
            Map.entry("EXISTS", INTEGER),
            Map.entry("EXPIRE", INTEGER),
            Map.entry("HDEL", INTEGER),
            Map.entry("HEXISTS", INTEGER),
            Map.entry("HINCRBY", INTEGER),
            Map.entry("HLEN", INTEGER),
            Map.entry("HSET", INTEGER),
            Map.entry("INCR", INTEGER),
            Map.entry("INCRBY", INTEGER),
            Map.entry("LLEN", INTEGER),
            Map.entry("LPUSH", INTEGER),
            Map.entry("PEXPIRE", INTEGER),
            Map.entry("PTTL", INTEGER),
            Map.entry("PUBLISH", INTEGER),
            Map.entry("RPUSH", INTEGER),
            Map.entry("SADD", INTEGER),
            Map.entry("SCARD", INTEGER),
            Map.entry("SETNX", INTEGER),
            Map.entry("SISMEMBER", INTEGER),
            Map.entry("SREM", INTEGER),
            Map.entry("STRLEN", INTEGER),
            Map.entry("TTL", INTEGER),
            Map.entry("UNLINK", INTEGER),
            Map.entry("ZCARD", INTEGER),
            Map.entry("ZCOUNT", INTEGER),
            Map.entry("ZREM", INTEGER),
            Map.entry("GET", STRING),
            Map.entry("GETDEL", STRING),
            Map.entry("GETEX", STRING),
            Map.entry("GETRANGE", STRING),
            Map.entry("HGET", STRING),
            Map.entry("LINDEX", STRING),
            Map.entry("HKEYS", LIST),
            Map.entry("HMGET", LIST),
            Map.entry("HSCAN", LIST),
            Map.entry("HVALS", LIST),
            Map.entry("KEYS", LIST),
            Map.entry("LRANGE", LIST),
            Map.entry("MGET", LIST),
            Map.entry("SCAN", LIST),
            Map.entry("SSCAN", LIST),
            Map.entry("XRANGE", LIST),
            Map.entry("ZRANGE", LIST),
            Map.entry("ZSCAN", LIST),
            Map.entry("SDIFF", SET),
            Map.entry("SINTER", SET),
            Map.entry("SMEMBERS", SET),
            Map.entry("SUNION", SET),
            Map.entry("HGETALL", MAP),
            Map.entry("FLUSHALL", STATUS),
            Map.entry("FLUSHDB", STATUS),
            Map.entry("MSET", STATUS),
            Map.entry("MULTI", STATUS),
            Map.entry("PSETEX", STATUS),
            Map.entry("SELECT", STATUS),
            Map.entry("SETEX", STATUS));

    private static final String UNKNOWN = "?";

    private RedisType() {}

    /**
     * Whether a reply may be that of a command.
     *
     * @param mark what its first line begins with
     * @param first the first line of a simple reply without its mark
     */
    static boolean isPossible(String operation, char mark, String first) {
        boolean isError = mark == '-' || mark == '!';
        boolean isInTransaction = mark == '+' && first.equals("QUEUED");
        String marks = MARKS.get(operation);
        return marks == null || isError || isInTransaction || marks.indexOf(mark) >= 0;
    }

    /** Whether a reply may begin with this byte. */
    static boolean isMark(byte first) {
        return !name((char) first).equals(UNKNOWN);
    }

    static String name(char mark) {
        return switch (mark) {
            case '+' -> "status";
            case '-', '!' -> "error";
            case ':' -> "integer";
            case '$' -> "string";
            case '_' -> "nil";
            case '*' -> "array";
            case '%' -> "map";
            case '~' -> "set";
            case '>' -> "push";
            case ',' -> "double";
            case '#' -> "boolean";
            case '(' -> "big number";
            case '=' -> "verbatim string";
            default -> UNKNOWN;
        };
    }
}
