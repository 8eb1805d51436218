package dev.probestream.bpf.object;

import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Register;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Instructions while they are linked: each is the 64 bits that {@link Instruction} draws, so that fields can be replaced,
 * and some refer to a map by its name.
 */
final class LinkedCode {
    static final int LOAD_64 = 0x18; // BPF_LD | BPF_IMM | BPF_DW
    static final int CALL = 0x85; // BPF_JMP | BPF_CALL

    // The source "register" of a load of 64 bits and of a call (linux/bpf.h, BPF_PSEUDO_*).
    static final int PSEUDO_MAP_FD = 1;
    static final int PSEUDO_MAP_VALUE = 2;
    static final int PSEUDO_BTF_ID = 3;
    static final int PSEUDO_FUNC = 4;
    static final int PSEUDO_CALL = 1;
    static final int PSEUDO_KFUNC_CALL = 2;

    private static final Register[] REGISTERS = Register.values();

    private long[] instructions = new long[64];
    private int count;
    private final Map<Integer, String> maps = new HashMap<>();

    int count() {
        return count;
    }

    /** Copies instructions from a section to the end. */
    void append(ByteBuffer section, int start, int howMany) {
        if (count + howMany > instructions.length) {
            instructions = Arrays.copyOf(instructions, Math.max(count + howMany, 2 * count));
        }
        for (int i = 0; i < howMany; i++) {
            instructions[count++] = section.getLong((start + i) * Instruction.SIZE_BYTES);
        }
    }

    /** Copies assembled instructions to the end. */
    void append(List<Instruction> assembled) {
        ByteBuffer bytes =
                ByteBuffer.allocate(assembled.size() * Instruction.SIZE_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        for (Instruction instruction : assembled) {
            if (instruction.isMapLoad()) {
                maps.put(count + bytes.position() / Instruction.SIZE_BYTES, instruction.symbol());
            }
            instruction.writeTo(bytes);
        }
        append(bytes, 0, assembled.size());
    }

    int opcode(int at) {
        return (int) (instructions[at] & 0xff);
    }

    int source(int at) {
        return (int) ((instructions[at] >>> 12) & 0xf);
    }

    int offset(int at) {
        return (short) (instructions[at] >>> 16);
    }

    int immediate(int at) {
        return (int) (instructions[at] >>> 32);
    }

    void setSource(int at, int source) {
        instructions[at] = (instructions[at] & ~0xf000L) | ((long) source << 12);
    }

    void setOpcode(int at, int opcode) {
        instructions[at] = (instructions[at] & ~0xffL) | opcode;
    }

    void setOffset(int at, int offset) {
        instructions[at] = (instructions[at] & ~0xffff0000L) | ((offset & 0xffffL) << 16);
    }

    void setImmediate(int at, int immediate) {
        instructions[at] = (instructions[at] & 0xffffffffL) | ((long) immediate << 32);
    }

    /** A load of a map, or of the address of its first value and an offset. */
    void setMap(int at, String map, int pseudo, int offsetInValue) {
        setSource(at, pseudo);
        setImmediate(at, 0);
        setImmediate(at + 1, offsetInValue);
        maps.put(at, map);
    }

    /** A call of a function that does not exist: the verifier refuses it if it can be reached. */
    void poison(int at, int number) {
        boolean isWide = opcode(at) == LOAD_64 && at + 1 < count;
        maps.remove(at);
        instructions[at] = CALL | ((long) number << 32);
        if (isWide) {
            instructions[at + 1] = instructions[at];
        }
    }

    /** The instructions for the kernel; empty where one names a register that there is not. */
    Optional<List<Instruction>> toInstructions() {
        List<Instruction> all = new ArrayList<>(count);
        for (int at = 0; at < count; at++) {
            int destination = (int) ((instructions[at] >>> 8) & 0xf);
            if (destination >= REGISTERS.length || source(at) >= REGISTERS.length) {
                return Optional.empty();
            }
            all.add(new Instruction(
                    opcode(at),
                    REGISTERS[destination],
                    REGISTERS[source(at)],
                    offset(at),
                    immediate(at),
                    maps.getOrDefault(at, "")));
        }
        return Optional.of(all);
    }
}
