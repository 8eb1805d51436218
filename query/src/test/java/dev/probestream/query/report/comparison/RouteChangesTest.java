package dev.probestream.query.report.comparison;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.query.report.comparison.Changes.Sensitivity;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** How often a change of a route is found, and how often one is listed that is none: 100 simulated pairs each. */
class RouteChangesTest {
    private static final int PAIRS = 100;

    @Test
    void ofUnchangedPairsAtMostOneListsAnything() {
        int alarms = 0;
        for (int pair = 0; pair < PAIRS; pair++) {
            alarms += pair(pair, 1).changes().isEmpty() ? 0 : 1;
        }
        assertThat(alarms).isLessThanOrEqualTo(1);
    }

    @Test
    void aRouteWhoseMedianRoseByHalfIsFoundAndTheOtherIsNotListed() {
        int found = 0;
        int blamed = 0;
        for (int pair = 0; pair < PAIRS; pair++) {
            Set<String> routes = pair(pair, 1.48).changes().stream()
                    .filter(change -> change.key().area() == Area.REQUESTS)
                    .map(change -> change.key().subject())
                    .collect(Collectors.toSet());
            found += routes.contains(SimulatedRoutes.CHANGED) ? 1 : 0;
            blamed += routes.contains(SimulatedRoutes.OTHER) ? 1 : 0;
        }
        assertThat(found).isGreaterThanOrEqualTo(95);
        assertThat(blamed).isLessThanOrEqualTo(1);
    }

    @Test
    void theSmallestChangeThatWouldHaveBeenSeenIsStatedAndIsFound() {
        Changes unchanged = pair(1, 1);
        Sensitivity median = unchanged.sensitivities().stream()
                .filter(one -> one.key().subject().equals(SimulatedRoutes.CHANGED)
                        && one.key().measure() == Measure.MEDIAN)
                .findFirst()
                .orElseThrow();

        assertThat(median.observations()).isEqualTo(SimulatedRoutes.REQUESTS);
        assertThat(median.seenFactor()).isBetween(1.2, 1.6);
        int found = 0;
        for (int pair = 0; pair < PAIRS / 2; pair++) {
            found += pair(pair, 1.05 * median.seenFactor()).changes().stream()
                            .anyMatch(change -> change.key().subject().equals(SimulatedRoutes.CHANGED))
                    ? 1
                    : 0;
        }
        assertThat(found).isGreaterThanOrEqualTo(45);
    }

    private static Changes pair(int pair, double factor) {
        return Comparison.of(SimulatedRoutes.recording(2L * pair, 1), SimulatedRoutes.recording(2L * pair + 1, factor));
    }
}
