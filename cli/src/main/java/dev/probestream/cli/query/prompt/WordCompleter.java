package dev.probestream.cli.query.prompt;

import dev.probestream.query.builtin.BuiltInQuery;
import dev.probestream.query.session.Relation;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;

/** Completes SQL keywords, tables, columns, and built-in queries after a dot command. */
final class WordCompleter implements Completer {
    private static final List<String> KEYWORDS = List.of(
            "SELECT",
            "FROM",
            "WHERE",
            "GROUP BY",
            "ORDER BY",
            "LIMIT",
            "HAVING",
            "DISTINCT",
            "JOIN",
            "LEFT JOIN",
            "ASOF JOIN",
            "USING",
            "ON",
            "AND",
            "OR",
            "NOT",
            "IN",
            "IS NULL",
            "LIKE",
            "BETWEEN",
            "CASE",
            "WHEN",
            "THEN",
            "ELSE",
            "END",
            "AS",
            "WITH",
            "UNION ALL",
            "DESC",
            "ASC",
            "DESCRIBE",
            "SUMMARIZE",
            "EXPLAIN",
            "ALL",
            "count(*)",
            "sum(",
            "avg(",
            "min(",
            "max(",
            "median(",
            "quantile_cont(",
            "arg_max(",
            "time_bucket(",
            "date_trunc(");

    private final List<Relation> relations;
    private final List<BuiltInQuery> views;

    WordCompleter(List<Relation> relations, List<BuiltInQuery> views) {
        this.relations = relations;
        this.views = views;
    }

    @Override
    public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
        String text = line.line().stripLeading();
        if (text.startsWith(".")) {
            if (line.wordIndex() == 0) {
                DotCommand.NAMES.forEach(name -> candidates.add(new Candidate(name)));
            } else if (text.startsWith(".view")) {
                views.forEach(view ->
                        candidates.add(new Candidate(view.name(), view.name(), null, view.title(), null, null, true)));
            } else {
                relations.forEach(relation -> candidates.add(new Candidate(relation.name())));
            }
            return;
        }
        words(line.word(), text.toLowerCase(Locale.ROOT), candidates);
    }

    /** Columns of the tables that the statement names; of all tables if it names none. */
    private void words(String word, String statement, List<Candidate> candidates) {
        // "count(pid" and "s.pid" are one word for JLine: the text before the last name is kept.
        int nameStart = word.length();
        while (nameStart > 0 && Character.isJavaIdentifierPart(word.charAt(nameStart - 1))) {
            nameStart--;
        }
        String before = word.substring(0, nameStart);
        List<Relation> named = relations.stream()
                .filter(relation -> statement.contains(relation.name().toLowerCase(Locale.ROOT)))
                .toList();
        TreeSet<String> names = new TreeSet<>();
        (named.isEmpty() ? relations : named).forEach(relation -> names.addAll(relation.columns()));
        relations.forEach(relation -> names.add(relation.name()));
        names.forEach(name -> candidates.add(candidate(before + name)));
        if (!before.endsWith(".")) {
            KEYWORDS.forEach(keyword -> candidates.add(candidate(before + keyword)));
        }
    }

    private static Candidate candidate(String text) {
        return new Candidate(text, text, null, null, null, null, !text.endsWith("("));
    }
}
