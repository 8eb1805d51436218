package dev.probestream.bench.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import org.junit.jupiter.api.Test;

final class ReportedFindingTest {
    private static final String OF_CPU =
            "It waited. A consequence of the busy machine (cpu-pressure), or prolonged by it: the process had no CPU meanwhile.";
    private static final String OF_QUOTA =
            "It waited. A consequence of the CPU limit (cpu-throttled), or prolonged by it: the process was throttled meanwhile.";

    @Test
    void findingsKeepTheOrderOfTheReport() throws Exception {
        String report = """
                {"title": "server.js", "findings": [
                  {"rule": "slow-dns", "severity": "HIGH", "title": "Lookups.", "text": "Slow.", "isConsequence": false},
                  {"rule": "gaps", "severity": "NOTE", "title": "A gap.", "text": "Of 1 s.", "isConsequence": true}]}
                """;

        assertThat(ReportedFinding.parse(report))
                .containsExactly(
                        new ReportedFinding("slow-dns", "HIGH", "Lookups.", "Slow.", false),
                        new ReportedFinding("gaps", "NOTE", "A gap.", "Of 1 s.", true));
    }

    @Test
    void reportWithoutFindingsIsRefused() {
        assertThatThrownBy(() -> ReportedFinding.parse("{\"captures\": []}"))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("findings");
    }

    @Test
    void findingOfTheApplicationAccusesOnAnyMachine() {
        for (String severity : new String[] {"HIGH", "MEDIUM"}) {
            ReportedFinding finding = finding("loop-blocked", severity, "A function ran.");

            assertThat(finding.isAccusation(true)).isTrue();
            assertThat(finding.isAccusation(false)).isTrue();
        }
    }

    @Test
    void noteAccusesOnNoMachine() {
        assertThat(finding("loop-blocked", "NOTE", "A function ran.").isAccusation(true))
                .isFalse();
    }

    @Test
    void findingOfTheMachineAccusesOnAQuietOneOnly() {
        ReportedFinding finding = finding("off-cpu", "MEDIUM", "It had no CPU.");

        assertThat(finding.isAccusation(true)).isTrue();
        assertThat(finding.isAccusation(false)).isFalse();
    }

    @Test
    void consequenceOfTheMachineAccusesOnAQuietOneOnly() {
        ReportedFinding finding = finding("loop-blocked", "MEDIUM", OF_CPU);

        assertThat(finding.isAccusation(true)).isTrue();
        assertThat(finding.isAccusation(false)).isFalse();
    }

    @Test
    void consequenceOfAnythingElseAccuses() {
        assertThat(finding("loop-blocked", "MEDIUM", OF_QUOTA).isAccusation(false))
                .isTrue();
    }

    private static ReportedFinding finding(String rule, String severity, String text) {
        return new ReportedFinding(rule, severity, "A title.", text, text.contains("consequence"));
    }
}
