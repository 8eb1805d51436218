package dev.probestream.collector.internal.program;

import dev.probestream.collector.histogram.Bucketing;
import dev.probestream.collector.histogram.HistogramSpec;
import dev.probestream.collector.histogram.ValueExpression;
import dev.probestream.collector.internal.program.layout.ArgumentSlot;
import dev.probestream.collector.internal.program.layout.StackDepths;
import dev.probestream.collector.internal.program.layout.histogram.HistogramKeyPart;
import dev.probestream.collector.internal.program.layout.histogram.HistogramKeyPart.Source;
import dev.probestream.collector.internal.program.layout.histogram.HistogramLayout;
import dev.probestream.collector.internal.program.layout.histogram.HistogramStackLayout;
import dev.probestream.collector.internal.program.layout.histogram.HistogramSumsLayout;
import dev.probestream.collector.internal.program.layout.histogram.HistogramValue;
import dev.probestream.collector.probe.ArgumentSource;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ProbeArgumentException;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.TextRule;
import dev.probestream.schema.record.FlowStep;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** Finds what the names of a {@link HistogramSpec} mean and lays the key out. */
final class HistogramLayoutBuilder {
    /**
     * The key is built on the stack, which has 512 bytes: a scratch of a map would be torn, since uprobe programs can be
     * preempted. Room for two texts of the usual size and a number; the hash of a stack comes on top.
     */
    static final int MAX_KEY_BYTES = 296;

    /** What the sums of a histogram may take of the kernel's memory; all of it is taken at once. */
    private static final long MAX_SUMS_BYTES = 32L << 20;

    private static final int COMM_BYTES = 16; // TASK_COMM_LEN of linux/sched.h
    private static final ArgumentType U32 = ArgumentType.number(ArgumentType.Form.U32);

    private final HistogramSpec spec;
    private final ProbeSpec probe;
    private final List<ArgumentSpec> available;
    private final List<ArgumentSpec> used = new ArrayList<>();
    private final List<HistogramKeyPart> parts = new ArrayList<>();
    private final StackDepths depths;
    private final int cpus;
    /** So many keys have sums. */
    private final int room;

    private Optional<HistogramStackLayout> stack = Optional.empty();
    private int offset = HistogramLayout.PARTS_OFFSET;

    /**
     * @param available the arguments of the probe, every type known
     * @param depths of the stacks that the probe has
     * @param maxKeys so many keys there may be, if that fits
     * @param cpus so many CPUs are possible
     */
    HistogramLayoutBuilder(
            HistogramSpec spec, List<ArgumentSpec> available, StackDepths depths, int maxKeys, int cpus) {
        this.depths = depths;
        this.cpus = cpus;
        this.room = (int) Math.min(maxKeys, MAX_SUMS_BYTES / HistogramSumsLayout.SIZE_BYTES / cpus);
        this.spec = spec;
        this.probe = spec.probe();
        this.available = available;
    }

    /**
     * The layout.
     *
     * @throws ProbeArgumentException when a name means nothing at this probe, or the key is too long
     */
    HistogramLayout build(String mapName) {
        spec.keys().forEach(key -> part(key, mapName));
        HistogramValue value = value();
        int withoutStack = offset - (stack.isPresent() ? HistogramStackLayout.KEY_SIZE_BYTES : 0);
        if (withoutStack > MAX_KEY_BYTES) {
            throw new ProbeArgumentException(
                    probe,
                    "a key of " + withoutStack + " bytes is too long, " + MAX_KEY_BYTES
                            + " are possible: give its texts less room, such as path=arg1:str[64]");
        }
        return new HistogramLayout(mapName, parts, value, spec.bucketing(), stack, sums(mapName), used, offset);
    }

    private Optional<HistogramSumsLayout> sums(String mapName) {
        return spec.bucketing().form().isOfSums()
                ? Optional.of(new HistogramSumsLayout(mapName, room, cpus))
                : Optional.empty();
    }

    private HistogramValue value() {
        return spec.bucketing().form() == Bucketing.Form.COUNT
                ? HistogramValue.NONE
                : number(ValueExpression.parse(spec.of()));
    }

    private HistogramValue number(ValueExpression expression) {
        if (expression.isName()) {
            return number(expression.name());
        }
        return expression
                .operation()
                .map(operation -> HistogramValue.computed(
                        operation,
                        number(expression.operands().get(0)),
                        number(expression.operands().get(1))))
                .orElseGet(() -> HistogramValue.number(expression.number()));
    }

    private HistogramValue number(String name) {
        if (name.equals(HistogramSpec.DURATION) && isUnnamed(name)) {
            if (!probe.kind().isSpan()) {
                throw new ProbeArgumentException(probe, "only a span:, span(...) or usdtspan: has a duration");
            }
            return HistogramValue.DURATION;
        }
        int index = argument(name);
        ArgumentType type = used.get(index).type();
        if (type.isText()) {
            throw new ProbeArgumentException(
                    probe, name + " is text and falls into no buckets: count by it (--count --by " + name + ")");
        }
        return HistogramValue.argument(index, type);
    }

    private void part(String name, String mapName) {
        if (spec.isStack(name)) {
            addStack(name, mapName);
        } else if (spec.isComputed(name)) {
            HistogramValue number = number(ValueExpression.parse(name));
            add(name, Source.COMPUTED, -1, Optional.of(number), number.type());
        } else if (isUnnamed(name)) {
            switch (name) {
                case "pid" -> add(name, Source.PID, -1, U32);
                case "tid" -> add(name, Source.TID, -1, U32);
                case "cpu" -> add(name, Source.CPU, -1, U32);
                case "probe" -> add(name, Source.PROBE, -1, U32);
                case "comm" -> add(name, Source.COMM, -1, ArgumentType.chars(COMM_BYTES));
                default -> addArgument(name);
            }
        } else {
            addArgument(name);
        }
    }

    private void addStack(String name, String mapName) {
        if (stack.isEmpty()) {
            stack = Optional.of(HistogramStackLayout.of(mapName, offset, depths));
            offset += HistogramStackLayout.KEY_SIZE_BYTES;
        }
        ArgumentSlot slot = new ArgumentSlot(
                ArgumentType.number(ArgumentType.Form.U64), stack.get().keyOffset(), false);
        parts.add(new HistogramKeyPart(name, Source.STACK, -1, Optional.empty(), slot));
    }

    private void addArgument(String name) {
        int index = argument(name);
        if (used.get(index).type().form().isFloat()) {
            throw new ProbeArgumentException(probe, name + " is a floating-point number, by which nothing is counted");
        }
        if (used.get(index).type().form().isAddress()) {
            throw new ProbeArgumentException(probe, name + " is the address of a socket, by which nothing is counted");
        }
        add(name, Source.ARGUMENT, index, used.get(index).type());
    }

    private void add(String name, Source source, int argument, ArgumentType type) {
        add(name, source, argument, Optional.empty(), type);
    }

    private void add(String name, Source source, int argument, Optional<HistogramValue> computed, ArgumentType type) {
        parts.add(new HistogramKeyPart(name, source, argument, computed, new ArgumentSlot(type, offset, false)));
        offset += ArgumentSlot.sizeBytes(type);
    }

    private boolean isUnnamed(String name) {
        return available.stream().noneMatch(argument -> argument.name().equals(name));
    }

    /** The index of the argument of this name among the used ones. */
    private int argument(String name) {
        for (int i = 0; i < used.size(); i++) {
            if (used.get(i).name().equals(name)) {
                return i;
            }
        }
        used.add(named(name));
        return used.size() - 1;
    }

    private ArgumentSpec named(String name) {
        for (ArgumentSpec argument : available) {
            if (argument.name().equals(name)) {
                return argument;
            }
        }
        if (!name.equals(HistogramSpec.RET)) {
            throw unknown(name);
        }
        if (probe.kind() == ProbeKind.USDTSPAN) {
            throw new ProbeArgumentException(
                    probe, "a USDT probe returns nothing: name what its end has, as x=arg1 at return");
        }
        if (!probe.kind().hasReturnValue()) {
            throw new ProbeArgumentException(probe, "nothing has been returned yet there: use span: or uretprobe:");
        }
        return new ArgumentSpec(
                HistogramSpec.RET,
                ArgumentSource.RETURN_VALUE,
                0,
                List.of(),
                probe.result().map(result -> result.type()).orElse(ArgumentType.S64),
                probe.kind().isSpan(),
                "",
                FlowStep.NONE,
                Map.of(),
                TextRule.PLAIN);
    }

    private ProbeArgumentException unknown(String name) {
        String names = available.stream().map(ArgumentSpec::name).collect(Collectors.joining(", "));
        return new ProbeArgumentException(
                probe,
                "no argument of the probe is called " + name + "; there are "
                        + (names.isEmpty() ? "" : names + " and ")
                        + "pid, tid, comm, cpu, probe"
                        + (probe.kind().hasReturnValue() ? ", ret" : "")
                        + (probe.kind().isSpan() ? ", duration" : ""));
    }
}
