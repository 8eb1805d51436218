package dev.probestream.collector.histogram;

import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What is counted at a probe. Keys and the value are names of the probe's arguments, or one of the words {@code ret}
 * (the return value), {@code pid}, {@code tid}, {@code comm}, {@code cpu} (for a span, the CPU at its start), {@code
 * probe} (which of the probes that a glob matches) and, for the value of a span, {@code duration} (ns). An argument of
 * the same name takes precedence over a word.
 *
 * @param probe where to count; its filter selects the hits
 * @param keys hits with different keys are counted separately; may be empty
 * @param of the value that is put into buckets; "" for {@link Bucketing.Form#COUNT}
 * @param bucketing the mapping of values to buckets
 * @param label the title; "" = the probe's text
 */
public record HistogramSpec(ProbeSpec probe, List<String> keys, String of, Bucketing bucketing, String label) {
    /** The time between entry and return, in ns. */
    public static final String DURATION = "duration";

    /** The name of the returned value. */
    public static final String RET = "ret";

    /** Copies the list. */
    public HistogramSpec {
        keys = List.copyOf(keys);
        if (of.isEmpty() != (bucketing.form() == Bucketing.Form.COUNT)) {
            throw new IllegalArgumentException(
                    "a count must not have a value, every other form needs one: '" + of + "'");
        }
        checkProbe(probe);
    }

    /**
     * Applies the defaults. A span's value is its duration; other probes are counted. A value without a form gives a
     * power-of-two histogram. A count of a value counts by that value; a count without value and keys counts by all
     * named arguments of the probe.
     *
     * @param probe what is counted
     * @param of the value, if given
     * @param by the keys; empty = none given
     * @param form if given
     * @return the specification with its defaults
     * @throws HistogramException if the form needs a value and none is given, or the probe cannot be counted
     */
    public static HistogramSpec of(ProbeSpec probe, Optional<String> of, List<String> by, Optional<Bucketing> form) {
        boolean isSpan = probe.kind().isSpan();
        Bucketing bucketing = form.orElse(of.isPresent() || isSpan ? Bucketing.LOG2 : Bucketing.COUNT);
        if (bucketing.form() != Bucketing.Form.COUNT) {
            String value = of.or(() -> isSpan ? Optional.of(DURATION) : onlyNumber(probe))
                    .orElseThrow(() -> new HistogramException("a histogram of " + probe.text()
                            + " needs a value: give an argument with --of, or use --count"));
            return new HistogramSpec(probe, by, value, bucketing, "");
        }
        List<String> keys = new ArrayList<>(by);
        of.filter(name -> !keys.contains(name)).ifPresent(keys::add);
        if (keys.isEmpty()) {
            probe.arguments().forEach(argument -> keys.add(argument.name()));
            probe.result().ifPresent(result -> keys.add(RET));
        }
        return new HistogramSpec(probe, keys, "", bucketing, "");
    }

    /**
     * {@return a copy with this label}
     *
     * @param newLabel shown above the histogram
     */
    public HistogramSpec labelled(String newLabel) {
        return new HistogramSpec(probe, keys, of, bucketing, newLabel);
    }

    /** {@return whether the value is the time from entry to return} */
    public boolean isOfDuration() {
        return of.equals(DURATION)
                && probe.arguments().stream()
                        .noneMatch(argument -> argument.name().equals(DURATION));
    }

    /** {@return the title to show} */
    public String title() {
        return label.isEmpty() ? probe.text() : label;
    }

    private static Optional<String> onlyNumber(ProbeSpec probe) {
        List<String> numbers = new ArrayList<>();
        probe.arguments().stream()
                .filter(argument -> !argument.type().isText())
                .map(ArgumentSpec::name)
                .forEach(numbers::add);
        probe.result().ifPresent(result -> numbers.add(RET));
        return numbers.size() == 1 ? Optional.of(numbers.get(0)) : Optional.empty();
    }

    private static void checkProbe(ProbeSpec probe) {
        if (probe.kind() == ProbeKind.PROFILE) {
            throw new HistogramException("hist cannot count profile, which records stacks: use record");
        }
        if (probe.kind().isManyProbes()) {
            throw new HistogramException(probe.kind().spelling()
                    + " is a set of many probes and cannot be counted: give one of them, such as"
                    + " tracepoint:raw_syscalls:sys_enter (id) or tracepoint:sched:sched_switch");
        }
        if (probe.stack().isAny() || probe.counter()) {
            throw new HistogramException(
                    "hist does not support [stack], [ustack], [kstack] and [counter]: remove them from "
                            + probe.text());
        }
    }
}
