package dev.probestream.query.report.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.Finding;
import dev.probestream.query.report.Finding.Severity;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What changed between two recordings whose load comes in waves. */
class ComparisonTest {
    private static final int PAIRS = 200;

    @Test
    void unchangedPairsReportAtMostTheStatedShareOfFalseChanges() {
        int withAny = 0;
        for (int pair = 0; pair < PAIRS; pair++) {
            Changes changes = Comparison.of(
                    recording(2L * pair).measured(), recording(2L * pair + 1).measured());
            assertThat(changes.compared()).isGreaterThan(3 * SyntheticRecording.ROUTES);
            withAny += changes.changes().isEmpty() ? 0 : 1;
        }
        assertThat(withAny).isLessThanOrEqualTo((int) (PAIRS * Comparison.FALSE_SHARE));
    }

    @Test
    void pairsThatChangedAsMuchAsIsUsualAreNotReportedEither() {
        int withAny = 0;
        for (int pair = 0; pair < PAIRS / 4; pair++) {
            SyntheticRecording slower = recording(2L * pair + 1).allSlower(1.09);
            withAny += Comparison.of(recording(2L * pair).measured(), slower.measured())
                            .changes()
                            .isEmpty()
                    ? 0
                    : 1;
        }
        assertThat(withAny).isLessThanOrEqualTo(PAIRS / 4 / 20);
    }

    @Test
    void aSlowerRouteIsFoundAndNoOtherIsBlamed() {
        int found = 0;
        for (int pair = 0; pair < 40; pair++) {
            Changes changes = Comparison.of(
                    recording(1000 + pair).measured(),
                    recording(2000 + pair).slower(3, 2.5).measured());
            assertThat(changes.changes())
                    .extracting(change -> change.key().subject())
                    .doesNotContain("GET /r1");
            found += changes.changes().stream()
                            .anyMatch(change -> change.key().subject().equals("GET /r3"))
                    ? 1
                    : 0;
        }
        assertThat(found).isGreaterThanOrEqualTo(38);
    }

    @Test
    void errorsAndCpuTimeAreFound() {
        Changes changes = Comparison.of(
                recording(1).measured(), recording(2).failing(5, 0.2).moreCpu(3).measured());

        assertThat(changes.changes())
                .extracting(
                        change -> change.key().subject() + " " + change.key().measure())
                .containsExactly("parseRow (lib/csv.js) TIME_PER_REQUEST", "GET /r5 ERRORS");
        assertThat(ChangeFindings.of(changes, Set.of("changes")))
                .extracting(Finding::severity)
                .contains(Severity.HIGH);
        Change errors = changes.changes().get(1);
        assertThat(errors.before()).isBetween(0.2, 2.5);
        assertThat(errors.after()).isBetween(17.0, 23.0);
        assertThat(errors.leastFactor()).isGreaterThan(5);
        assertThat(errors.falseShare()).isLessThan(Comparison.FALSE_SHARE);
    }

    @Test
    void whatABusierMachineMayExplainIsNotBlamedOnTheProgram() {
        Changes changes = Comparison.of(
                recording(1).stretched(1.1).measured(),
                recording(2).stretched(2.4).allSlower(1.9).slower(0, 4).measured());

        assertThat(changes.changes())
                .isNotEmpty()
                .allSatisfy(change -> assertThat(change.key().subject()).isEqualTo("GET /r0"));
        assertThat(changes.byMachine())
                .extracting(change -> change.key().subject())
                .contains("GET /r4");
        assertThat(String.join(" ", changes.conditions())).contains("busier", "9 %", "58 %");
    }

    @Test
    void withoutTheSetSchedOnlyLargeChangesCount() {
        List<Change> small = Comparison.of(
                        recording(1).stretched(Double.NaN).measured(),
                        recording(2).stretched(Double.NaN).slower(3, 1.6).measured())
                .changes();
        List<Change> large = Comparison.of(
                        recording(1).stretched(Double.NaN).measured(),
                        recording(2).stretched(Double.NaN).slower(3, 5).measured())
                .changes();

        assertThat(small).isEmpty();
        assertThat(large).extracting(change -> change.key().subject()).containsOnly("GET /r3");
    }

    @Test
    void theSameRecordingsGiveTheSameResult() {
        Measured before = recording(1).measured();
        Measured after = recording(2).slower(3, 2).measured();

        assertThat(Comparison.of(before, after).changes())
                .isNotEmpty()
                .isEqualTo(Comparison.of(before, after).changes());
    }

    private static SyntheticRecording recording(long seed) {
        return new SyntheticRecording(seed);
    }
}
