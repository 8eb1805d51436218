package dev.probestream.bench.report;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * A finding, as {@code report --json} prints it.
 *
 * @param rule its stable name, such as {@code loop-blocked}
 * @param severity HIGH, MEDIUM or NOTE
 * @param isConsequence whether it is marked as what follows from another finding
 */
public record ReportedFinding(String rule, String severity, String title, String text, boolean isConsequence) {
    private static final ObjectMapper JSON = new ObjectMapper();

    /** Rules about what the machine has too little of. */
    private static final Set<String> OF_THE_MACHINE =
            Set.of("off-cpu", "cpu-pressure", "memory-pressure", "io-pressure");

    /** How the text of a finding ends that follows from one of the machine (the query module's WeightedFinding). */
    private static final Pattern CONSEQUENCE =
            Pattern.compile(" A consequence of .* \\((" + String.join("|", OF_THE_MACHINE) + ")\\)");

    /**
     * All of a report, the most severe first.
     *
     * @param report in JSON
     * @throws IOException when it has no findings
     */
    public static List<ReportedFinding> parse(String report) throws IOException {
        JsonNode findings = JSON.readTree(report).path("findings");
        if (!findings.isArray()) {
            throw new IOException("read a report: it has no array 'findings'");
        }
        List<ReportedFinding> all = new ArrayList<>();
        for (JsonNode each : findings) {
            all.add(new ReportedFinding(
                    each.path("rule").asText(),
                    each.path("severity").asText(),
                    each.path("title").asText(),
                    each.path("text").asText(),
                    each.path("isConsequence").asBoolean()));
        }
        return List.copyOf(all);
    }

    /**
     * Whether it accuses: notes do not, nor on a busy machine what is about the machine or follows from that.
     *
     * @param isMachineQuiet whether nothing else ran, so that the machine had enough of everything
     */
    public boolean isAccusation(boolean isMachineQuiet) {
        return !severity.equals("NOTE") && (isMachineQuiet || !isOfTheMachine());
    }

    /** Whether it is about what the machine has too little of, or follows from that. */
    public boolean isOfTheMachine() {
        return OF_THE_MACHINE.contains(rule)
                || (isConsequence && CONSEQUENCE.matcher(text).find());
    }
}
