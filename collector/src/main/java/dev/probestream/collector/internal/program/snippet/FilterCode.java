package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.collector.probe.Filter;
import dev.probestream.collector.probe.FilterComparison;
import java.util.List;

/**
 * Emits the code that lets a hit pass or not. A comparison whose value cannot be read does not hold, whether or not it is
 * under a {@code !}: so what {@link Filter} calls unknown never passes.
 */
public final class FilterCode {
    private final Assembler assembler;
    private final ArgumentCode arguments;
    private final NumberTestCode numbers;
    private final TextTestCode texts;

    public FilterCode(Assembler assembler, ArgumentCode arguments, HitFieldCode hit) {
        this.assembler = assembler;
        this.arguments = arguments;
        this.numbers = new NumberTestCode(assembler, arguments, hit);
        this.texts = new TextTestCode(assembler, arguments, hit);
    }

    /** Jumps unless the filter holds. May lose R0 to R5. */
    public void rejectUnless(Filter filter, Label rejected) {
        Label passed = assembler.newLabel();
        arguments.prepare(filter.arguments());
        texts.makeRoom(filter);
        decide(filter, false, passed, rejected);
        assembler.bind(passed);
    }

    /** Ends in a jump to either label in every case. */
    private void decide(Filter filter, boolean isNegated, Label holds, Label fails) {
        switch (filter.kind()) {
            case NOT -> decide(filter.parts().get(0), !isNegated, holds, fails);
            case ALL -> decideParts(filter.parts(), isNegated, isNegated, holds, fails);
            case ANY -> decideParts(filter.parts(), isNegated, !isNegated, holds, fails);
            case COMPARISON -> decide(filter.comparison().orElseThrow(), isNegated, holds, fails);
        }
    }

    /** Negated, all turns into any of the negated parts, and any into all (de Morgan). */
    private void decideParts(List<Filter> parts, boolean isNegated, boolean oneIsEnough, Label holds, Label fails) {
        for (int i = 0; i < parts.size(); ) {
            List<FilterComparison> together = oneIsEnough && !isNegated
                    ? TextTestCode.beginningsOfOneText(parts.subList(i, parts.size()))
                    : List.of();
            Filter part = parts.get(i);
            i += Math.max(1, together.size());
            boolean isLast = i == parts.size();
            Label next = isLast ? fails : assembler.newLabel();
            Label partHolds = isLast || oneIsEnough ? holds : next;
            Label partFails = isLast || oneIsEnough ? next : fails;
            if (together.isEmpty() || !isReadable(together.get(0))) {
                decide(part, isNegated, partHolds, partFails);
            } else {
                texts.decideBeginnings(together, partHolds, partFails);
            }
            if (!isLast) {
                assembler.bind(next);
            }
        }
    }

    private boolean isReadable(FilterComparison comparison) {
        return comparison.operands().stream()
                .flatMap(operand -> operand.arguments())
                .allMatch(arguments::isEverReadable);
    }

    private void decide(FilterComparison comparison, boolean isNegated, Label holds, Label fails) {
        if (!isReadable(comparison)) {
            always(assembler, fails, holds);
        } else if (comparison.isOfText()) {
            texts.decide(comparison, isNegated, holds, fails);
        } else {
            numbers.decide(comparison, isNegated, holds, fails);
        }
    }

    /** Jumps to a label, in a way that leaves the other one aimed at: the verifier takes no code that nothing leads to. */
    static void always(Assembler assembler, Label taken, Label never) {
        assembler.mov(R0, 0);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, never);
        assembler.jump(taken);
    }
}
