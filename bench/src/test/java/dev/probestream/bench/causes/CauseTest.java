package dev.probestream.bench.causes;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bench.causes.Cause.Verdict;
import dev.probestream.bench.report.ReportedFinding;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class CauseTest {
    private static final Cause CAUSE = new Cause("slow-dns", Set.of("slow-dns"));
    private static final ReportedFinding NAMED = finding("slow-dns", "HIGH", false);
    private static final ReportedFinding OTHER = finding("loop-blocked", "HIGH", false);
    private static final ReportedFinding OF_THE_MACHINE = finding("cpu-pressure", "HIGH", false);
    private static final ReportedFinding CONSEQUENCE = finding("errors", "HIGH", true);

    @Test
    void causeIsFirstBehindWhatTheMachineLacks() {
        assertThat(CAUSE.verdict(List.of(OF_THE_MACHINE, NAMED, OTHER))).isEqualTo(Verdict.FIRST);
    }

    @Test
    void causeIsLaterBehindAnythingElse() {
        assertThat(CAUSE.verdict(List.of(OTHER, NAMED))).isEqualTo(Verdict.LATER);
    }

    @Test
    void causeThatIsNotNamedIsMissed() {
        assertThat(CAUSE.verdict(List.of(OTHER))).isEqualTo(Verdict.MISSED);
        assertThat(CAUSE.verdict(List.of())).isEqualTo(Verdict.MISSED);
    }

    @Test
    void wrongIsWhatIsNeitherTheCauseNorTheMachineNorAConsequence() {
        assertThat(CAUSE.wrong(List.of(NAMED, OF_THE_MACHINE, CONSEQUENCE, finding("retries", "MEDIUM", false), OTHER)))
                .containsExactly(OTHER);
    }

    private static ReportedFinding finding(String rule, String severity, boolean isConsequence) {
        return new ReportedFinding(rule, severity, "A title.", "A text.", isConsequence);
    }
}
