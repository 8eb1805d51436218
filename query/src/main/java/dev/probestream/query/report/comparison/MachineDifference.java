package dev.probestream.query.report.comparison;

import dev.probestream.query.report.analysis.fact.Amounts;
import dev.probestream.query.report.comparison.Measured.Machine;
import java.util.ArrayList;
import java.util.List;

/**
 * How far the machine explains that something took longer or shorter.
 *
 * @param logChange what it may have changed, as a logarithm
 * @param widening by which the least change of what takes time is multiplied, where waits for a CPU are not known
 * @param sentences for people
 */
record MachineDifference(double logChange, double widening, List<String> sentences) {
    /** Smaller differences are usual between two recordings on one machine. */
    private static final double USUAL = Math.log(1.05);

    private static final double USUAL_SPEED = Math.log(1.15);

    /** Of what takes time, where the set sched does not record how long it had no CPU. */
    private static final double WITHOUT_SCHED = 3;

    private static final int LEAST_PROBES = 3;

    static MachineDifference between(Machine before, Machine after) {
        List<String> sentences = new ArrayList<>();
        double logChange = 0;
        double widening = 1;
        if (Double.isNaN(before.stretch()) || Double.isNaN(after.stretch())) {
            widening = WITHOUT_SCHED;
            sentences.add(
                    "How long the processes had no CPU is not known in both recordings (set sched), so of what takes"
                            + " time only large changes count.");
        } else {
            double stretch = Math.log(after.stretch() / before.stretch());
            if (Math.abs(stretch) > USUAL) {
                logChange += Math.abs(stretch);
                sentences.add("The machine was " + (stretch > 0 ? "busier" : "less busy")
                        + ": the processes were ready without a CPU for " + ready(before)
                        + " of the time in which they wanted one, then for " + ready(after)
                        + ". Durations are compared without it, and changes that it may explain stand apart.");
            }
        }
        double speed = speed(before, after);
        if (Math.abs(speed) > USUAL_SPEED) {
            logChange += Math.abs(speed);
            sentences.add("The same programs in the kernel took " + Amounts.share(Math.exp(Math.abs(speed)) - 1, 1)
                    + (speed > 0 ? " longer" : " longer before")
                    + ": the CPU had another frequency, or shared its core or caches with other work. Changes that this may"
                    + " explain stand apart.");
        }
        if (!before.description().equals(after.description())) {
            sentences.add("Another machine or kernel: " + before.description() + ", then " + after.description() + ".");
        }
        if (!before.sets().equals(after.sets())) {
            sentences.add("Other probe sets were recorded: " + String.join(", ", before.sets()) + ", then "
                    + String.join(", ", after.sets()) + ". What is in one recording only is not compared.");
        }
        return new MachineDifference(logChange, widening, List.copyOf(sentences));
    }

    private static String ready(Machine machine) {
        return Amounts.share(machine.stretch() - 1, machine.stretch());
    }

    /** The median, over the probes of both, of how much longer their programs took: a logarithm. */
    private static double speed(Machine before, Machine after) {
        List<Double> logs = new ArrayList<>();
        before.programNs().forEach((probe, ns) -> {
            Double then = after.programNs().get(probe);
            if (then != null) {
                logs.add(Math.log(then / ns));
            }
        });
        logs.sort(null);
        return logs.size() < LEAST_PROBES ? 0 : logs.get(logs.size() / 2);
    }
}
