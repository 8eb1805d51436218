package dev.probestream.convert.timeline;

import dev.probestream.convert.shape.ArgumentShape;
import dev.probestream.convert.shape.NameTable;
import dev.probestream.convert.shape.ProbeShape;
import dev.probestream.convert.shape.ValueStyle;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.FlowStep;
import dev.probestream.schema.record.Probe;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Makes the probes' shapes, and owns the names they use. */
final class ProbeShapes {
    final NameTable eventNames = new NameTable();
    final NameTable categories = new NameTable();
    final NameTable argumentNames = new NameTable();

    private int count;
    private int argumentCount;
    private @Nullable RequestShapes requests;

    /** Stands beside the arguments of a span whose end was not seen, with the reason. */
    final ArgumentShape incomplete = text("incomplete");

    ProbeShape of(Probe probe) {
        List<ArgumentShape> arguments = new ArrayList<>();
        int numbers = 0;
        int strings = 0;
        for (Argument argument : probe.getArguments()) {
            boolean isText = ValueStyle.of(argument.getType(), argument.getUnit()) == ValueStyle.TEXT;
            arguments.add(argument(
                    argument.getName(),
                    argument.getType(),
                    argument.getUnit(),
                    isText ? strings++ : numbers++,
                    isText ? FlowStep.NONE : argument.getFlow(),
                    argument.getLabels()));
        }
        ArgumentShape result = probe.getReturnType().isEmpty()
                ? null
                : argument("return", probe.getReturnType(), probe.getReturnUnit(), 0, FlowStep.NONE, Map.of());
        return shape(probe.getName(), probe.getCategory(), arguments, result, false);
    }

    /** For a probe that is missing: everything its events hold, with plain names. */
    ProbeShape standIn(int probeId, ProbeUse use) {
        List<ArgumentShape> arguments = new ArrayList<>();
        for (int i = 0; i < use.numbers(); i++) {
            arguments.add(argument("number" + (i + 1), "s64", "", i, FlowStep.NONE, Map.of()));
        }
        for (int i = 0; i < use.strings(); i++) {
            arguments.add(argument("text" + (i + 1), "str", "", i, FlowStep.NONE, Map.of()));
        }
        return shape("probe " + probeId, "unknown", arguments, null, true);
    }

    private ProbeShape shape(
            String name,
            String category,
            List<ArgumentShape> arguments,
            @Nullable ArgumentShape result,
            boolean isStandIn) {
        return new ProbeShape(
                count++, name, eventNames.add(name), category, categories.add(category), arguments, result, isStandIn);
    }

    /** There are requests: adds the names of their arguments. */
    void addRequests() {
        if (requests == null) {
            requests = new RequestShapes(this);
        }
    }

    /** Null = no capture has any. */
    @Nullable
    RequestShapes requests() {
        return requests;
    }

    ArgumentShape text(String name) {
        return argument(name, "str", "", 0, FlowStep.NONE, Map.of());
    }

    ArgumentShape number(String name, String unit) {
        return argument(name, "s64", unit, 0, FlowStep.NONE, Map.of());
    }

    private ArgumentShape argument(
            String name, String type, String unit, int position, FlowStep flow, Map<String, String> labels) {
        return new ArgumentShape(argumentCount++, name, argumentNames.add(name), type, unit, position, flow, labels);
    }

    int count() {
        return count;
    }

    int argumentCount() {
        return argumentCount;
    }

    /** How events use a probe: enough to show them if the recording does not describe it. */
    static final class ProbeUse {
        private int numbers;
        private int strings;

        void note(EventView event) {
            numbers = Math.max(numbers, event.numberCount());
            strings = Math.max(strings, event.stringCount());
        }

        int numbers() {
            return numbers;
        }

        int strings() {
            return strings;
        }
    }
}
