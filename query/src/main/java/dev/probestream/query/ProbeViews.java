package dev.probestream.query;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * Creates a view for each name of a probe, such as {@code probe_uv_fs_open}: its rows of {@code events} or {@code spans} with
 * the arguments as named columns. Numbers with labels become these labels, and bool becomes BOOLEAN. If captures or probes
 * of one name have different arguments, the view has the columns of all of them.
 */
final class ProbeViews {
    private static final String PREFIX = "probe_";

    private final Connection connection;

    ProbeViews(Connection connection) {
        this.connection = connection;
    }

    /**
     * Also creates {@code probe_views} ({@code name}, {@code probe}): the probe of each view.
     *
     * @param isReadable whether the table of probes can be read; without it there are no views
     */
    void create(boolean isReadable) throws SQLException {
        DuckDbDatabase.execute(connection, "CREATE TABLE probe_views (name VARCHAR, probe VARCHAR)");
        if (!isReadable) {
            return;
        }
        Map<String, List<ProbeSignature>> signaturesByProbe = new LinkedHashMap<>();
        for (ProbeSignature signature : signatures()) {
            signaturesByProbe
                    .computeIfAbsent(signature.probe(), probe -> new ArrayList<>())
                    .add(signature);
        }
        Set<String> taken = new HashSet<>(Set.of("probe_views"));
        for (Map.Entry<String, List<ProbeSignature>> probe : signaturesByProbe.entrySet()) {
            String view = viewName(probe.getKey(), taken);
            DuckDbDatabase.execute(connection, "CREATE VIEW " + Sql.name(view) + " AS " + select(probe.getValue()));
            DuckDbDatabase.execute(connection, "INSERT INTO probe_views VALUES (?, ?)", view, probe.getKey());
        }
    }

    private List<ProbeSignature> signatures() throws SQLException {
        List<ProbeSignature> signatures = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(ProbeSignature.QUERY)) {
            while (result.next()) {
                signatures.add(ProbeSignature.of(result));
            }
        }
        return signatures;
    }

    private static String select(List<ProbeSignature> signatures) {
        if (signatures.size() == 1) {
            return signatures.get(0).selectAll();
        }
        return String.join(
                " UNION ALL BY NAME ",
                signatures.stream().map(ProbeSignature::selectOwn).toList());
    }

    /** Letters, digits and '_' only, in lower case; a name that is taken gets a number, because SQL ignores case. */
    private static String viewName(String probe, Set<String> taken) {
        String wanted = PREFIX + probe.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9_]+", "_");
        String name = wanted;
        for (int next = 2; !taken.add(name); next++) {
            name = wanted + "_" + next;
        }
        return name;
    }
}
