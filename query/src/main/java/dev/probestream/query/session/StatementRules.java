package dev.probestream.query.session;

import dev.probestream.query.QueryException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Which statements are run. None may fetch an extension. In a confined session only those that read, and those that create something
 * in memory: DuckDB's own settings keep them away from other files, but not from writing to the files that they may read.
 */
final class StatementRules {
    private static final Set<String> CONFINED = Set.of(
            "SELECT",
            "FROM",
            "WITH",
            "VALUES",
            "TABLE",
            "DESCRIBE",
            "DESC",
            "SUMMARIZE",
            "SHOW",
            "PIVOT",
            "UNPIVOT",
            "CREATE",
            "DROP",
            "INSERT",
            "UPDATE",
            "DELETE",
            "SET",
            "RESET");

    private static final Set<String> SETTINGS = Set.of("SET", "RESET", "PRAGMA", "CALL");
    private static final Pattern FETCHING_SETTING = Pattern.compile("autoinstall|autoload", Pattern.CASE_INSENSITIVE);

    private StatementRules() {}

    /** @throws QueryException if the statement must not be run */
    static void check(String sql, boolean isConfined) throws QueryException {
        List<String> words = firstWords(sql);
        String first = words.get(0);
        boolean isInstall = first.equals("INSTALL")
                || (first.equals("FORCE") && words.get(1).equals("INSTALL"))
                || (first.equals("UPDATE") && words.get(1).equals("EXTENSIONS"));
        boolean isFetching =
                SETTINGS.contains(first) && FETCHING_SETTING.matcher(sql).find();
        if (isInstall || isFetching) {
            throw new QueryException("cannot run " + (isInstall ? "INSTALL" : first)
                    + ": Probestream does not download or install extensions of DuckDB");
        }
        if (isConfined) {
            checkConfined(sql, words);
        }
    }

    private static void checkConfined(String sql, List<String> words) throws QueryException {
        int at = 0;
        if (words.get(0).equals("EXPLAIN")) {
            at = words.get(1).equals("ANALYZE") ? 2 : 1; // EXPLAIN ANALYZE runs the statement
        }
        if (!CONFINED.contains(words.get(at))) {
            throw new QueryException(
                    "cannot run " + (words.get(at).isEmpty() ? "this statement" : words.get(at))
                            + " with --confined: statements can only read the recordings, and create views, macros and tables in memory");
        }
        // Two statements could hide in one text, if DuckDB reads its quotes and comments otherwise than we do.
        if (sql.indexOf(';') >= 0) {
            throw new QueryException(
                    "cannot run a statement that contains ';' with --confined; in a text, write chr(59)");
        }
    }

    /** The first three words in upper case; "" for one that is none, or whose comments are not plain. */
    private static List<String> firstWords(String sql) {
        List<String> words = new ArrayList<>();
        int at = 0;
        while (words.size() < 3) {
            at = afterSpace(sql, at);
            int end = at;
            while (end < sql.length() && (Character.isLetterOrDigit(sql.charAt(end)) || sql.charAt(end) == '_')) {
                end++;
            }
            words.add(sql.substring(at, end).toUpperCase(Locale.ROOT));
            at = end;
        }
        return words;
    }

    /** Behind spaces, plain comments and opening parentheses; a comment that could be read in two ways is not skipped. */
    private static int afterSpace(String sql, int start) {
        int at = start;
        while (at < sql.length()) {
            char c = sql.charAt(at);
            int end = at;
            if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '(') {
                end = at + 1;
            } else if (sql.startsWith("--", at)) {
                end = endOf(sql, at, "\n");
            } else if (sql.startsWith("/*", at)) {
                end = endOf(sql, at, "*/");
            }
            String skipped = sql.substring(Math.min(at + 1, end), end);
            if (end == at || skipped.contains("\r") || skipped.contains("/*")) {
                return at;
            }
            at = end;
        }
        return at;
    }

    private static int endOf(String sql, int at, String wanted) {
        int found = sql.indexOf(wanted, at + 2);
        return found < 0 ? sql.length() : found + wanted.length();
    }
}
