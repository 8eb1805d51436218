package dev.probestream.query.builtin;

import dev.probestream.query.QueryException;
import dev.probestream.query.Recordings;
import java.math.BigDecimal;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * A built-in query. It runs on every recording; what was not recorded gives no rows.
 *
 * @param name lower-case letters and '-'
 * @param title what it shows, in one line
 * @param description how to read the result, and what it does not show; lines end with a line feed
 * @param columns of its result, in order
 * @param parameters what a user can set, see {@link #prepare}
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
     * A parameter that a user can set.
     *
     * @param defaultValue a number if all values must be numbers, otherwise a text
     */
    public record Parameter(String name, String defaultValue, String description) {
        private static final String NUMBER = "-?[0-9]+(\\.[0-9]+)?";

        boolean isNumber() {
            return defaultValue.matches(NUMBER);
        }

        /** The value as DuckDB types its literal: INTEGER, BIGINT or DECIMAL if the default is a number, else VARCHAR. */
        Object typed(String query, String value) throws QueryException {
            if (!isNumber()) {
                return value;
            }
            if (!value.matches(NUMBER)) {
                throw new QueryException("built-in query " + query + ": " + name + " (" + description
                        + ") must be a number, not '" + value + "'; its default is " + defaultValue);
            }
            BigDecimal number = new BigDecimal(value);
            if (number.scale() > 0 || number.toBigInteger().bitLength() >= Long.SIZE) {
                return number;
            }
            long integer = number.longValueExact();
            if (integer == (int) integer) {
                return (int) integer;
            }
            return integer;
        }
    }

    /**
     * Sets all parameters as variables of the connection; a parameter without a setting gets its default. {@link #sql} can
     * be run afterwards.
     *
     * @param settings values by parameter
     * @throws QueryException if there is no such parameter, or its value must be a number
     */
    public void prepare(Recordings recordings, Map<String, String> settings) throws QueryException {
        for (Map.Entry<String, Object> variable : variables(settings).entrySet()) {
            String sql = "SET VARIABLE \"" + variable.getKey() + "\" = ?";
            try (PreparedStatement statement = recordings.connection().prepareStatement(sql)) {
                statement.setObject(1, variable.getValue());
                statement.execute();
            } catch (SQLException e) {
                throw new QueryException(
                        "built-in query " + name + ": cannot set " + settings + ": " + e.getMessage(), e);
            }
        }
    }

    /** The variables that {@link #prepare} sets, in the order of the parameters. */
    Map<String, Object> variables(Map<String, String> settings) throws QueryException {
        for (String set : settings.keySet()) {
            if (parameters.stream().noneMatch(parameter -> parameter.name().equals(set))) {
                throw new QueryException("built-in query " + name + " has no parameter '" + set + "'; it has "
                        + (parameters.isEmpty()
                                ? "none"
                                : parameters.stream().map(Parameter::name).collect(Collectors.joining(", "))));
            }
        }
        Map<String, Object> variables = new LinkedHashMap<>();
        for (Parameter parameter : parameters) {
            String value = settings.getOrDefault(parameter.name(), parameter.defaultValue());
            variables.put(parameter.name(), parameter.typed(name, value));
        }
        return variables;
    }
}
