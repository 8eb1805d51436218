package dev.probestream.query.builtin;

import dev.probestream.query.QueryException;
import dev.probestream.query.Recordings;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A question that is asked again and again. It can be asked of every recording: what was not recorded is no row.
 *
 * @param name as typed: of lower-case letters and '-'
 * @param title what it shows, in one line
 * @param description how to read it, and what it does not show; lines end with a line feed
 * @param columns of its result, in their order
 * @param parameters what can be set, see {@link #prepare}
 * @param sql one SELECT without a semicolon; reads its parameters by {@code getvariable('NAME')}
 */
public record BuiltInQuery(
        String name, String title, String description, List<Column> columns, List<Parameter> parameters, String sql) {
    public BuiltInQuery {
        columns = List.copyOf(columns);
        parameters = List.copyOf(parameters);
    }

    /** A column of the result. */
    public record Column(String name, String description) {}

    /**
     * What a user may set.
     *
     * @param defaultValue a number if all values must be numbers, else a text
     */
    public record Parameter(String name, String defaultValue, String description) {
        private static final String NUMBER = "-?[0-9]+(\\.[0-9]+)?";

        boolean isNumber() {
            return defaultValue.matches(NUMBER);
        }

        String setting(String view, String value) throws QueryException {
            if (isNumber() && !value.matches(NUMBER)) {
                throw new QueryException("view " + view + ": " + name + " (" + description + ") is a number, not '"
                        + value + "'; its default is " + defaultValue);
            }
            String literal = isNumber() ? value : "'" + value.replace("'", "''") + "'";
            return "SET VARIABLE \"" + name + "\" = " + literal;
        }
    }

    /**
     * Sets all parameters, those that are not given to their defaults. After it, {@link #sql} can be asked.
     *
     * @param settings values by parameter
     * @throws QueryException if there is no such parameter, or it must be a number and is none
     */
    public void prepare(Recordings recordings, Map<String, String> settings) throws QueryException {
        List<String> statements = statements(settings);
        try (Statement statement = recordings.connection().createStatement()) {
            for (String text : statements) {
                statement.execute(text);
            }
        } catch (SQLException e) {
            throw new QueryException("view " + name + ": cannot set " + settings + ": " + e.getMessage(), e);
        }
    }

    /** What {@link #prepare} executes. */
    List<String> statements(Map<String, String> settings) throws QueryException {
        for (String set : settings.keySet()) {
            if (parameters.stream().noneMatch(parameter -> parameter.name().equals(set))) {
                throw new QueryException("view " + name + " has no parameter '" + set + "'; it has "
                        + (parameters.isEmpty()
                                ? "none"
                                : parameters.stream().map(Parameter::name).collect(Collectors.joining(", "))));
            }
        }
        List<String> statements = new ArrayList<>();
        for (Parameter parameter : parameters) {
            String value = settings.getOrDefault(parameter.name(), parameter.defaultValue());
            statements.add(parameter.setting(name, value));
        }
        return statements;
    }
}
