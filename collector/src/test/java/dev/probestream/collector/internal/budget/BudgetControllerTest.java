package dev.probestream.collector.internal.budget;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.probestream.collector.internal.budget.BudgetController.Interval;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** The controller with the duty cycle against a simulated target, some minutes at a time. */
class BudgetControllerTest {
    private static final List<String> ORDER = List.of("detail", "middle", "requests");
    private static final long STEP_NS = 1_000_000;
    private static final long SECOND_NS = 1_000_000_000;

    /** A target: what it takes for itself, in CPUs, and what the categories cost for each ns of it. */
    private static final class Target {
        double load = 0.9;
        boolean isFlatOut;
        final Map<String, Double> costPerOwn = new HashMap<>();
        double ownNs;
        double costNs;
        Map<String, Double> parts = Map.of();
        final Map<String, Double> watchedSeconds = new HashMap<>();
        final Map<String, Double> ownWatched = new HashMap<>();
        private final DutyCycle duty = new DutyCycle(new Random(1));
        private final BudgetController controller;
        private DutyCycle.Cycle cycle = duty.next();
        private long cycleNs;

        Target(double share) {
            this(share, 0.001);
        }

        Target(double share, double freeCpus) {
            controller = new BudgetController(share, freeCpus, ORDER);
        }

        void run(int seconds) {
            for (int second = 0; second < seconds; second++) {
                Map<String, Long> cost = new HashMap<>();
                Map<String, Long> watched = new HashMap<>();
                double cpuNs = 0;
                for (long ns = 0; ns < SECOND_NS; ns += STEP_NS) {
                    cpuNs += step(cost, watched);
                }
                long costNs = cost.values().stream().mapToLong(ns -> ns).sum();
                parts = controller.next(new Interval(SECOND_NS, Math.round(cpuNs) - costNs, cost, watched));
            }
        }

        private double step(Map<String, Long> cost, Map<String, Long> watched) {
            cycleNs += STEP_NS;
            if (cycleNs > cycle.lengthNs()) {
                cycle = duty.next();
                cycleNs = 0;
            }
            double ratio = 0;
            for (String category : ORDER) {
                if (cycleNs < cycle.watchedNs(parts.getOrDefault(category, 1.0))) {
                    ratio += costPerOwn.getOrDefault(category, 0.0);
                }
            }
            double own = isFlatOut ? STEP_NS / (1 + ratio) : load * STEP_NS;
            for (String category : ORDER) {
                if (cycleNs < cycle.watchedNs(parts.getOrDefault(category, 1.0))) {
                    double ns = own * costPerOwn.getOrDefault(category, 0.0);
                    cost.merge(category, Math.round(ns), Long::sum);
                    watched.merge(category, STEP_NS, Long::sum);
                    watchedSeconds.merge(category, STEP_NS / 1e9, Double::sum);
                    ownWatched.merge(category, own, Double::sum);
                    costNs += ns;
                }
            }
            ownNs += own;
            return own * (1 + ratio);
        }

        double share() {
            return costNs / ownNs;
        }

        void forget() {
            ownNs = 0;
            costNs = 0;
            watchedSeconds.clear();
            ownWatched.clear();
        }
    }

    @Test
    void whatIsWithinTheBudgetIsWatchedInFull() {
        Target target = new Target(0.03);
        target.costPerOwn.putAll(Map.of("detail", 0.01, "requests", 0.015));
        target.run(60);

        assertThat(target.parts.values()).allMatch(part -> part == 1);
    }

    @Test
    void aTargetFlatOutCostsTheBudget() {
        Target target = new Target(0.03);
        target.isFlatOut = true;
        target.costPerOwn.putAll(Map.of("detail", 0.5, "middle", 0.6, "requests", 0.15));
        target.run(10);
        target.forget();
        target.run(60);

        assertThat(target.share()).isCloseTo(0.03, within(0.005));
    }

    @Test
    void theFirstInTheOrderGivesWayFirst() {
        Target target = new Target(0.05);
        target.costPerOwn.putAll(Map.of("detail", 0.1, "middle", 0.01, "requests", 0.01));
        target.run(30);
        target.forget();
        target.run(60);

        assertThat(target.parts.get("detail")).isLessThan(0.6);
        assertThat(target.parts.get("middle")).isEqualTo(1);
        assertThat(target.parts.get("requests")).isEqualTo(1);
        assertThat(target.share()).isCloseTo(0.05, within(0.01));
    }

    @Test
    void whatTheLastCostsAloneIsHeldToo() {
        Target target = new Target(0.01);
        target.costPerOwn.putAll(Map.of("detail", 2.0, "middle", 1.0, "requests", 1.0));
        target.run(20);
        target.forget();
        target.run(1200);

        assertThat(target.share()).isCloseTo(0.01, within(0.003));
        assertThat(target.watchedSeconds.get("requests")).isGreaterThan(0.1);
    }

    @Test
    void aLoadThatComesAndGoesIsHeld() {
        Target target = new Target(0.03);
        target.costPerOwn.putAll(Map.of("detail", 0.3, "requests", 0.1));
        target.run(10);
        target.forget();
        for (int i = 0; i < 20; i++) {
            target.load = i % 2 == 0 ? 0.02 : 0.95;
            target.run(5);
        }

        assertThat(target.share()).isCloseTo(0.03, within(0.01));
    }

    @Test
    void anIdleTargetIsWatchedInFull() {
        Target target = new Target(0.03);
        target.load = 0.001;
        target.costPerOwn.put("detail", 0.5);
        target.run(30);

        assertThat(target.parts.get("detail")).isEqualTo(1);
    }

    @Test
    void aTargetThatDoesNothingButTrapIsLimited() {
        // The estimate of the cost is more than all of its CPU time.
        long ownNs = BudgetController.ownCpuNs(SECOND_NS, SECOND_NS + 30_000_000);
        BudgetController controller = new BudgetController(1, 0.2, ORDER);

        Map<String, Double> parts = controller.next(
                new Interval(SECOND_NS, ownNs, Map.of("detail", SECOND_NS + 30_000_000), Map.of("detail", SECOND_NS)));

        assertThat(parts.get("detail")).isLessThan(0.25);
        assertThat(BudgetController.ownCpuNs(SECOND_NS, 100_000_000)).isEqualTo(900_000_000);
    }

    @Test
    void whatIsFreeMayCostMoreThanTheShare() {
        Target target = new Target(1, 0.2);
        target.load = 0.02;
        target.costPerOwn.put("detail", 9.0);
        target.run(30);

        assertThat(target.parts.get("detail")).isEqualTo(1);

        target.load = 0.05;
        target.run(20);
        target.forget();
        target.run(120);

        // 9 times 0.05 CPUs are more than 0.2.
        assertThat(target.costNs / 120 / SECOND_NS).isCloseTo(0.2, within(0.02));
    }

    @Test
    void hitsScaledByOwnCpuTimeAreTheTruthFlatOut() {
        Target target = new Target(0.03);
        target.isFlatOut = true;
        target.costPerOwn.putAll(Map.of("detail", 0.5, "requests", 0.15));
        target.run(60);

        // Hits are in proportion to the own CPU time: what was seen, by the part of the own time that was watched.
        double watched = Objects.requireNonNull(target.ownWatched.get("requests")) / target.ownNs;
        assertThat(watched).isBetween(0.01, 0.9);
        assertThat(Objects.requireNonNull(target.watchedSeconds.get("requests")) / 60)
                .isGreaterThan(watched);
    }
}
