package dev.probestream.collector.internal.protocol;

import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** What a statement of SQL does to what: {@code SELECT users}, {@code INSERT orders}, {@code COMMIT}. */
public final class SqlOperation {
    private static final Pattern TOKEN = Pattern.compile(
            "--[^\\n]*|/\\*\\*/|#[^\\n]*|\"[^\"]*\"|`[^`]*`|[A-Za-z_\\x80-\\uffff][\\w$\\x80-\\uffff]*|[().,;]|\\S");

    private static final Set<String> VERBS = Set.of("SELECT", "INSERT", "UPDATE", "DELETE", "REPLACE", "MERGE");
    /** Behind such a word of a definition stands its name. */
    private static final Set<String> OBJECTS =
            Set.of("TABLE", "INDEX", "VIEW", "DATABASE", "SCHEMA", "SEQUENCE", "FUNCTION");

    private static final Set<String> DEFINITIONS = Set.of("CREATE", "DROP", "ALTER", "TRUNCATE");
    /** Words between a verb and the name. */
    private static final Set<String> FILLING =
            Set.of("ONLY", "LOW_PRIORITY", "IGNORE", "DELAYED", "IF", "EXISTS", "NOT", "CONCURRENTLY", "OR");

    private static final int MAX_WORD_CHARACTERS = 64;

    private SqlOperation() {}

    /** The operation of a masked statement; "" if there is none. */
    public static String of(String sql) {
        Matcher tokens = TOKEN.matcher(sql);
        String verb = "";
        String wanted = "";
        boolean isNext = false;
        int depth = 0;
        while (tokens.find()) {
            String token = tokens.group();
            if (token.startsWith("--") || token.equals("/**/") || token.startsWith("#")) {
                continue;
            }
            String word = token.toUpperCase(Locale.ROOT);
            depth += token.equals("(") ? 1 : token.equals(")") ? -1 : 0;
            boolean isWord = Character.isLetter(token.charAt(0)) || token.charAt(0) == '_';
            if (verb.isEmpty()) {
                if (!isWord) {
                    if (token.equals("(")) {
                        depth = 0;
                        continue;
                    }
                    return "";
                }
                verb = word;
                wanted = wanted(verb);
                isNext = verb.equals("UPDATE") || verb.equals("COPY");
            } else if (verb.equals("WITH") && depth == 0 && VERBS.contains(word)) {
                verb = word;
                wanted = wanted(verb);
                isNext = verb.equals("UPDATE");
            } else if (isNext && !FILLING.contains(word)) {
                return isWord || token.startsWith("\"") || token.startsWith("`")
                        ? verb + " " + name(tokens, token)
                        : verb;
            } else if (!isNext && isWord && (word.equals(wanted) || isObject(verb, word))) {
                isNext = true;
            }
        }
        return cut(verb);
    }

    private static boolean isObject(String verb, String word) {
        return DEFINITIONS.contains(verb) && OBJECTS.contains(word);
    }

    /** The word behind which the table is named. */
    private static String wanted(String verb) {
        return switch (verb) {
            case "SELECT", "DELETE" -> "FROM";
            case "INSERT", "REPLACE", "MERGE" -> "INTO";
            default -> "";
        };
    }

    /** The name that begins here, with what stands behind dots. */
    private static String name(Matcher tokens, String first) {
        StringBuilder name = new StringBuilder(unquoted(first));
        while (tokens.find() && tokens.group().equals(".") && tokens.find()) {
            name.append('.').append(unquoted(tokens.group()));
        }
        return cut(name.toString());
    }

    private static String unquoted(String token) {
        boolean isQuoted = token.length() > 1 && (token.charAt(0) == '"' || token.charAt(0) == '`');
        return isQuoted ? token.substring(1, token.length() - 1) : token;
    }

    private static String cut(String word) {
        return word.length() <= MAX_WORD_CHARACTERS ? word : word.substring(0, MAX_WORD_CHARACTERS) + "…";
    }
}
