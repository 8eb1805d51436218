package dev.probestream.collector.internal.protocol.redis;

/** The names of the types of replies, as Redis' documentation calls them. */
final class RedisType {
    private RedisType() {}

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
            default -> "?";
        };
    }
}
