package dev.probestream.collector.probe.parse;

import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.StackSpec;

/**
 * Reads the flags of a spec: {@code [stack] [ustack] [kstack] [counter] [pastcheck] [untilnext]}, also several in one
 * pair of brackets.
 */
final class SpecFlags {
    private final SpecText text;
    private final ProbeKind kind;
    private boolean userStack;
    private boolean kernelStack;
    private int counterPosition = -1;
    private boolean pastCheck;
    private int untilNextPosition = -1;

    SpecFlags(SpecText text, ProbeKind kind) {
        this.text = text;
        this.kind = kind;
    }

    StackSpec stack() {
        boolean isLeftOut = !userStack && !kernelStack;
        return kind == ProbeKind.PROFILE && isLeftOut ? StackSpec.BOTH : new StackSpec(userStack, kernelStack);
    }

    boolean isCounter() {
        return counterPosition >= 0;
    }

    /** Whether the probe goes behind a check at the function's beginning. */
    boolean isPastCheck() {
        return pastCheck;
    }

    /** Whether no flag was read but those of where the probe sits. */
    boolean isOfPlace() {
        return !userStack && !kernelStack && counterPosition < 0 && untilNextPosition < 0;
    }

    /** The position of the flag untilnext; -1 when it is absent. */
    int untilNextPosition() {
        return untilNextPosition;
    }

    /** The position of the flag counter; -1 when it is absent. */
    int counterPosition() {
        return counterPosition;
    }

    /** Reads what follows the opening bracket. */
    void parse() {
        do {
            text.skipBlanks();
            int start = text.position();
            switch (text.word()) {
                case "stack" -> {
                    userStack = true;
                    kernelStack = true;
                }
                case "ustack" -> userStack = true;
                case "kstack" -> kernelStack = true;
                case "counter" -> {
                    if (kind.isSpan() || !kind.takesArguments()) {
                        throw text.failAt(start, "[counter] makes no sense for " + kind.spelling());
                    }
                    counterPosition = start;
                }
                case "pastcheck" -> {
                    if (!kind.isUserFunction()) {
                        throw text.failAt(start, "[pastcheck] makes no sense for " + kind.spelling());
                    }
                    pastCheck = true;
                }
                case "untilnext" -> {
                    if (kind != ProbeKind.SPAN && kind != ProbeKind.UPROBE) {
                        throw text.failAt(start, "[untilnext] makes no sense for " + kind.spelling());
                    }
                    untilNextPosition = start;
                }
                default ->
                    throw text.failAt(start, "expected a flag: stack, ustack, kstack, counter, pastcheck or untilnext");
            }
        } while (text.take(','));
        text.expect(']', "after the flags");
    }
}
