package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.ArgumentType.Form;
import dev.probestream.collector.probe.FilterComparison;
import dev.probestream.collector.probe.FilterComparison.Sign;
import dev.probestream.collector.probe.FilterOperand;

/**
 * Emits the comparisons of numbers, as the numbers they are: every value stands in 64 bits, with its sign or, of u64 and
 * ptr, without one, and what has a sign and is negative is less than all that has none.
 */
final class NumberTestCode {
    private final Assembler assembler;
    private final NumberCode numbers;
    /** 8 bytes of stack each for the left and the right value; 0 = none was needed yet. */
    private int leftSlot;

    private int rightSlot;

    NumberTestCode(Assembler assembler, ArgumentCode arguments, HitFieldCode hit) {
        this.assembler = assembler;
        this.numbers = new NumberCode(assembler, arguments, hit);
    }

    /** Ends in a jump to either label; a value that cannot be read fails. May lose R0 to R5. */
    void decide(FilterComparison comparison, boolean isNegated, Label holds, Label fails) {
        leftSlot = leftSlot == 0 ? assembler.stackSlot(Long.BYTES) : leftSlot;
        rightSlot = rightSlot == 0 ? assembler.stackSlot(Long.BYTES) : rightSlot;
        FilterOperand left = meeting(comparison.left(), comparison.right(), comparison);
        FilterOperand right = meeting(comparison.right(), comparison.left(), comparison);
        numbers.into(left, leftSlot, fails);
        numbers.into(right, rightSlot, fails);
        assembler.load(Width.DOUBLE_WORD, R1, R10, leftSlot);
        assembler.load(Width.DOUBLE_WORD, R2, R10, rightSlot);
        Label yes = isNegated ? fails : holds;
        Label no = isNegated ? holds : fails;
        if (comparison.mask().isPresent()) {
            mask(comparison.mask().getAsLong());
            jump(comparison.sign(), false, yes, no);
        } else {
            compare(left, comparison.sign(), right, yes, no);
        }
    }

    private static FilterOperand meeting(FilterOperand operand, FilterOperand other, FilterComparison comparison) {
        if (operand.kind() != FilterOperand.Kind.NUMBER || comparison.mask().isPresent()) {
            return operand;
        }
        return switch (other.kind()) {
            case ARGUMENT -> operand.meeting(other.argument().orElseThrow().type(), comparison.sign());
            case COMPUTED ->
                operand.meeting(ArgumentType.number(other.isWithoutSign() ? Form.U64 : Form.S64), comparison.sign());
            case PID, TID, COMM, CPU, UID, DURATION, NUMBER, TEXT -> operand;
        };
    }

    private void mask(long bits) {
        if (bits == (int) bits) {
            assembler.and(R1, (int) bits);
        } else {
            assembler.loadImmediate64(R3, bits);
            assembler.and(R1, R3);
        }
    }

    /** Compares R1 with R2. */
    private void compare(FilterOperand left, Sign sign, FilterOperand right, Label yes, Label no) {
        boolean isLeftUnsigned = left.isWithoutSign();
        boolean isRightUnsigned = right.isWithoutSign();
        if (isLeftUnsigned != isRightUnsigned) {
            // The one with a sign is the lesser when it is negative; else both are numbers without one.
            boolean isLeftLess = isRightUnsigned;
            boolean isTrue = switch (sign) {
                case EQUAL -> false;
                case NOT_EQUAL -> true;
                case LESS, LESS_OR_EQUAL -> isLeftLess;
                case GREATER, GREATER_OR_EQUAL -> !isLeftLess;
                case BEGINS_WITH -> throw new IllegalArgumentException("^= of numbers");
            };
            assembler.jumpIf(Condition.SIGNED_LESS, isLeftLess ? R1 : R2, 0, isTrue ? yes : no);
        }
        jump(sign, !isLeftUnsigned && !isRightUnsigned, yes, no);
    }

    private void jump(Sign sign, boolean isSigned, Label yes, Label no) {
        Condition condition = switch (sign) {
            case EQUAL -> Condition.EQUAL;
            case NOT_EQUAL -> Condition.NOT_EQUAL;
            case LESS -> isSigned ? Condition.SIGNED_LESS : Condition.LESS;
            case LESS_OR_EQUAL -> isSigned ? Condition.SIGNED_LESS_OR_EQUAL : Condition.LESS_OR_EQUAL;
            case GREATER -> isSigned ? Condition.SIGNED_GREATER : Condition.GREATER;
            case GREATER_OR_EQUAL -> isSigned ? Condition.SIGNED_GREATER_OR_EQUAL : Condition.GREATER_OR_EQUAL;
            case BEGINS_WITH -> throw new IllegalArgumentException("^= of numbers");
        };
        assembler.jumpIf(condition, R1, R2, yes);
        assembler.jump(no);
    }
}
