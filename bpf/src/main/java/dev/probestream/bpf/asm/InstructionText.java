package dev.probestream.bpf.asm;

import java.util.Locale;

/** Prints instructions as the verifier's log does (kernel/bpf/disasm.c), so that the two can be compared. */
final class InstructionText {
    private InstructionText() {}

    static String of(Instruction instruction) {
        int opcode = instruction.opcode();
        return switch (Opcode.instructionClass(opcode)) {
            case Opcode.BPF_LD -> immediateLoad(instruction);
            case Opcode.BPF_LDX ->
                name('r', instruction.destination()) + " = " + memory(instruction, instruction.source());
            case Opcode.BPF_ST -> memory(instruction, instruction.destination()) + " = " + instruction.immediate();
            case Opcode.BPF_STX -> store(instruction);
            case Opcode.BPF_ALU -> arithmetic('w', instruction);
            case Opcode.BPF_ALU64 -> arithmetic('r', instruction);
            case Opcode.BPF_JMP -> jump(instruction);
            default -> "unknown opcode 0x" + Integer.toHexString(opcode);
        };
    }

    private static String immediateLoad(Instruction instruction) {
        if (instruction.opcode() == Opcode.SECOND_HALF) {
            return "(upper half 0x" + Integer.toHexString(instruction.immediate()) + ")";
        }
        String target = name('r', instruction.destination()) + " = ";
        if (instruction.isMapLoad()) {
            String map = "map[" + instruction.symbol() + "]";
            return target + (instruction.source() == Opcode.BPF_PSEUDO_MAP_VALUE ? map + "[0]" : map);
        }
        if (instruction.isFunctionLoad()) {
            return target + "function" + signed(instruction.immediate(), "");
        }
        if (instruction.source() == Opcode.BPF_PSEUDO_MAP_VALUE) {
            return target + "map[fd:" + instruction.immediate() + "][0]";
        }
        if (instruction.source() == Opcode.BPF_PSEUDO_MAP_FD) {
            return target + "map[fd:" + instruction.immediate() + "]";
        }
        return target + "0x" + Integer.toHexString(instruction.immediate()) + " (lower half)";
    }

    private static String store(Instruction instruction) {
        String place = memory(instruction, instruction.destination());
        String source = name('r', instruction.source());
        if ((instruction.opcode() & 0xe0) != Opcode.BPF_ATOMIC) {
            return place + " = " + source;
        }
        return switch (instruction.immediate()) {
            case Opcode.BPF_XCHG -> "lock swap " + place + ", " + source;
            case Opcode.BPF_CMPXCHG -> "lock " + place + " = " + source + " if it is r0, r0 = before";
            case Opcode.BPF_FETCH -> "lock " + place + " += " + source + ", " + source + " = before";
            default -> "lock " + place + " += " + source;
        };
    }

    private static String arithmetic(char family, Instruction instruction) {
        String target = name(family, instruction.destination());
        Arithmetic operation = arithmeticOf(instruction.opcode());
        if (operation == Arithmetic.NEG) {
            return target + " = -" + target;
        }
        return target + " " + operation.sign() + " " + secondOperand(family, instruction);
    }

    private static String jump(Instruction instruction) {
        String target = "goto " + signed(instruction.offset(), "");
        return switch (Opcode.operation(instruction.opcode())) {
            case Opcode.BPF_JA -> target;
            case Opcode.BPF_CALL -> call(instruction);
            case Opcode.BPF_EXIT -> "exit";
            default ->
                "if " + name('r', instruction.destination()) + " "
                        + conditionOf(instruction.opcode()).sign() + " " + secondOperand('r', instruction) + " "
                        + target;
        };
    }

    private static String call(Instruction instruction) {
        if (instruction.isLinkedCall()) {
            return "call function[" + instruction.symbol() + "]";
        }
        return instruction.isFunctionCall()
                ? "call pc" + signed(instruction.immediate(), "")
                : "call " + Helper.nameOf(instruction.immediate()) + "#" + instruction.immediate();
    }

    private static String secondOperand(char family, Instruction instruction) {
        return Opcode.takesRegister(instruction.opcode())
                ? name(family, instruction.source())
                : Integer.toString(instruction.immediate());
    }

    private static String memory(Instruction instruction, Register base) {
        int bits = 8 * widthOf(instruction.opcode()).sizeBytes();
        return "*(u" + bits + " *)(" + name('r', base) + signed(instruction.offset(), " ") + ")";
    }

    private static String signed(int offset, String before) {
        return before + String.format(Locale.ROOT, "%+d", offset);
    }

    private static String name(char family, Register register) {
        return family + Integer.toString(register.code());
    }

    private static Width widthOf(int opcode) {
        for (Width width : Width.values()) {
            if (width.opcodeBits() == (opcode & 0x18)) {
                return width;
            }
        }
        throw new IllegalStateException("two bits have four values: all are widths");
    }

    private static Arithmetic arithmeticOf(int opcode) {
        for (Arithmetic arithmetic : Arithmetic.values()) {
            if (arithmetic.opcodeBits() == Opcode.operation(opcode)) {
                return arithmetic;
            }
        }
        throw new IllegalArgumentException("no arithmetic operation in opcode 0x" + Integer.toHexString(opcode));
    }

    private static Condition conditionOf(int opcode) {
        for (Condition condition : Condition.values()) {
            if (condition.opcodeBits() == Opcode.operation(opcode)) {
                return condition;
            }
        }
        throw new IllegalArgumentException("no comparison in opcode 0x" + Integer.toHexString(opcode));
    }
}
