package dev.probestream.collector.histogram;

import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * What is counted at a probe. Keys and the value are the names of the probe's arguments, or one of the words {@code
 * ret} (what the function returned), {@code pid}, {@code tid}, {@code comm}, {@code cpu} (of a span where it began),
 * {@code probe} (which of those a glob matches) and, for the value of a span, {@code duration} (ns). A name of an
 * argument goes before a word.
 *
 * @param probe where; its filter says which hits
 * @param keys hits that differ in one of these are counted apart; may be empty
 * @param of the value that falls into buckets; "" for {@link Bucketing.Form#COUNT}
 * @param bucketing how
 * @param label what to call it; "" = the probe's text
 */
public record HistogramSpec(ProbeSpec probe, List<String> keys, String of, Bucketing bucketing, String label) {
    /** The time between entry and return, in ns. */
    public static final String DURATION = "duration";

    public static final String RET = "ret";

    public HistogramSpec {
        keys = List.copyOf(keys);
        if (of.isEmpty() != (bucketing.form() == Bucketing.Form.COUNT)) {
            throw new IllegalArgumentException("a count has no value, every other form has one: '" + of + "'");
        }
        checkProbe(probe);
    }

    /**
     * Fills in what was not said. A span's value is its duration, other probes are counted. A value without a form makes a
     * power-of-two histogram. A count of a value is a count by that value; a count of nothing in particular is one by all
     * arguments the probe names.
     *
     * @param of the value, if one was named
     * @param by the keys; empty = none were named
     * @param form if one was named
     * @throws HistogramException when a form needs a value and none is named, or the probe cannot be counted at
     */
    public static HistogramSpec of(ProbeSpec probe, Optional<String> of, List<String> by, Optional<Bucketing> form) {
        boolean isSpan = probe.kind().isSpan();
        Bucketing bucketing = form.orElse(of.isPresent() || isSpan ? Bucketing.LOG2 : Bucketing.COUNT);
        if (bucketing.form() != Bucketing.Form.COUNT) {
            String value = of.or(() -> isSpan ? Optional.of(DURATION) : onlyNumber(probe))
                    .orElseThrow(() -> new HistogramException("a histogram of " + probe.text()
                            + " needs a value: name the argument with --of, or count with --count"));
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

    /** The same under a name of its own. */
    public HistogramSpec labelled(String newLabel) {
        return new HistogramSpec(probe, keys, of, bucketing, newLabel);
    }

    /** Whether the value is the time from entry to return. */
    public boolean isOfDuration() {
        return of.equals(DURATION)
                && probe.arguments().stream()
                        .noneMatch(argument -> argument.name().equals(DURATION));
    }

    /** What a person calls it. */
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
            throw new HistogramException("profile records stacks, of which hist makes no counts: use record");
        }
        if (probe.kind().isManyProbes()) {
            throw new HistogramException(probe.kind().spelling()
                    + " is many probes at once and cannot be counted: name one, such as"
                    + " tracepoint:raw_syscalls:sys_enter (id) or tracepoint:sched:sched_switch");
        }
        if (probe.stack().isAny() || probe.counter()) {
            throw new HistogramException(
                    "hist counts and records nothing else: leave [stack], [ustack], [kstack] and [counter] out of "
                            + probe.text());
        }
    }
}
