package dev.probestream.collector.histogram;

import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.StackSpec;
import dev.probestream.collector.probe.parse.SpecParser;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * What is counted at a probe. Keys and the value are names of the probe's arguments, or one of the words {@code ret}
 * (the return value), {@code pid}, {@code tid}, {@code comm}, {@code cpu} (for a span, the CPU at its start), {@code
 * probe} (which of the probes that a glob matches) and, for the value of a span, {@code duration} (ns). An argument of
 * the same name takes precedence over a word. The keys {@code ustack}, {@code kstack} and {@code function} are the stack in
 * user space, that in the kernel, and the innermost function of the application ({@link StackFunction#ofApplication}). The
 * value may be computed: {@code (end - begin) / 1000} ({@link ValueExpression}).
 *
 * @param probe where to count; its filter selects the hits. {@code syscalls:all} is counted as a span of each call, with its
 *     {@code name} and what it returned, {@code ret}, as arguments
 * @param keys hits with different keys are counted separately; may be empty
 * @param of the value that is put into buckets; "" for {@link Bucketing.Form#COUNT}
 * @param bucketing the mapping of values to buckets
 * @param label the title; "" = the probe's text
 * @param textBytes the keys of text of which at most so many bytes are compared and shown, without an ellipsis for the rest
 */
public record HistogramSpec(
        ProbeSpec probe,
        List<String> keys,
        String of,
        Bucketing bucketing,
        String label,
        Map<String, Integer> textBytes) {
    /** The time between entry and return, in ns. */
    public static final String DURATION = "duration";

    /** The name of the returned value. */
    public static final String RET = "ret";

    /** The key that is the stack in user space. */
    public static final String USER_STACK = "ustack";

    /** The key that is the stack in the kernel. */
    public static final String KERNEL_STACK = "kstack";

    /** The key that is the innermost function of the application. */
    public static final String FUNCTION = "function";

    private static final Pattern NAME = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

    /** A stack, whole or its innermost functions alone. */
    private static final Pattern STACK = Pattern.compile("(ustack|kstack)(?:\\(([1-9][0-9]{0,2})\\))?");

    /** Copies the collections; records the stacks that the keys need. */
    public HistogramSpec {
        keys = List.copyOf(keys);
        textBytes = Map.copyOf(textBytes);
        if (of.isEmpty() != (bucketing.form() == Bucketing.Form.COUNT)) {
            throw new IllegalArgumentException(
                    "a count must not have a value, every other form needs one: '" + of + "'");
        }
        if (!of.isEmpty()) {
            ValueExpression.parse(of);
        }
        for (String key : keys) {
            if (isComputed(probe, key)) {
                ValueExpression.parse(key);
            }
        }
        if (!isRecordingStacks(probe, keys)) {
            checkProbe(probe);
            probe = recordingStacks(probe, keys);
        }
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
        if (probe.untilNext()) {
            throw new HistogramException(
                    probe.text() + " cannot be counted: with [untilnext] nothing is probed where the"
                            + " function returns; leave the flag out");
        }
        boolean isSpan = probe.kind().isSpan() || probe.kind() == ProbeKind.SYSCALLS;
        Bucketing bucketing = form.orElse(of.isPresent() || isSpan ? Bucketing.LOG2 : Bucketing.COUNT);
        if (bucketing.form() != Bucketing.Form.COUNT) {
            String value = of.or(() -> isSpan ? Optional.of(DURATION) : onlyNumber(probe))
                    .orElseThrow(() -> new HistogramException("a histogram of " + probe.text()
                            + " needs a value: give an argument with --of, or use --count"));
            return new HistogramSpec(probe, by, value, bucketing, "", Map.of());
        }
        List<String> keys = new ArrayList<>(by);
        of.filter(name -> !keys.contains(name)).ifPresent(keys::add);
        if (keys.isEmpty()) {
            probe.arguments().forEach(argument -> keys.add(argument.name()));
            probe.result().ifPresent(result -> keys.add(RET));
        }
        return new HistogramSpec(probe, keys, "", bucketing, "", Map.of());
    }

    /**
     * {@return a copy with this label}
     *
     * @param newLabel shown above the histogram
     */
    public HistogramSpec labelled(String newLabel) {
        return new HistogramSpec(probe, keys, of, bucketing, newLabel, textBytes);
    }

    /**
     * {@return whether a key is a stack or a function of one}
     *
     * @param key one of {@link #keys}
     */
    public boolean isStack(String key) {
        return isStack(probe, key);
    }

    /**
     * {@return whether a key that is a stack is that of the kernel}
     *
     * @param key one that {@link #isStack}
     */
    public static boolean isKernelStack(String key) {
        return key.startsWith(KERNEL_STACK);
    }

    /**
     * {@return so many innermost functions of a stack are the key; all of them if it does not say}
     *
     * @param key one that {@link #isStack}
     */
    public static int mostFunctions(String key) {
        Matcher stack = STACK.matcher(key);
        return stack.matches() && stack.group(2) != null ? Integer.parseInt(stack.group(2)) : Integer.MAX_VALUE;
    }

    /**
     * {@return whether a key is a number computed of others, such as {@code size / 64}}
     *
     * @param key one of {@link #keys}
     */
    public boolean isComputed(String key) {
        return isComputed(probe, key);
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
        if (probe.kind() == ProbeKind.SYSCALLS && probe.isSummed()) {
            throw new HistogramException(probe.text()
                    + " cannot be counted: syscalls:all can, by name (the call's), ret, pid, tid, comm or cpu");
        }
        if (probe.kind().isManyProbes() && probe.kind() != ProbeKind.SYSCALLS) {
            throw new HistogramException(probe.kind().spelling()
                    + " is a set of many probes and cannot be counted: give one of them, such as"
                    + " tracepoint:raw_syscalls:sys_enter (id) or tracepoint:sched:sched_switch");
        }
        boolean hasStack = probe.stack().isAny() && probe.kind() != ProbeKind.PROFILE;
        if (hasStack || probe.counter()) {
            throw new HistogramException("hist does not support [stack], [ustack], [kstack] and [counter]: remove them"
                    + " from " + probe.text() + (hasStack ? "; to count by stack use --by ustack or kstack" : ""));
        }
    }

    /** Whether a key is a stack, or a function of one, and no argument of this name. */
    private static boolean isStack(ProbeSpec probe, String key) {
        return (key.equals(FUNCTION) || STACK.matcher(key).matches())
                && probe.arguments().stream()
                        .noneMatch(argument -> argument.name().equals(key));
    }

    private static boolean isComputed(ProbeSpec probe, String key) {
        return !NAME.matcher(key).matches()
                && !STACK.matcher(key).matches()
                && probe.arguments().stream()
                        .noneMatch(argument -> argument.name().equals(key));
    }

    private static StackSpec stacks(ProbeSpec probe, List<String> keys) {
        List<String> stacks = keys.stream().filter(key -> isStack(probe, key)).toList();
        boolean hasKernel = stacks.stream().anyMatch(HistogramSpec::isKernelStack);
        return new StackSpec(stacks.stream().anyMatch(key -> !isKernelStack(key)), hasKernel);
    }

    private static boolean isRecordingStacks(ProbeSpec probe, List<String> keys) {
        StackSpec stacks = stacks(probe, keys);
        return stacks.isAny() && probe.stack().equals(stacks);
    }

    private static ProbeSpec recordingStacks(ProbeSpec probe, List<String> keys) {
        StackSpec stacks = stacks(probe, keys);
        return stacks.isAny()
                ? SpecParser.parse(
                        probe.text() + (stacks.user() ? " [ustack]" : "") + (stacks.kernel() ? " [kstack]" : ""))
                : probe;
    }
}
