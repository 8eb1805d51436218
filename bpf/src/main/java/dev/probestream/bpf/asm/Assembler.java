package dev.probestream.bpf.asm;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Builds one program, an instruction per call, with labels for jumps and slots of the 512-byte stack.
 *
 * <p>The assembler refuses what cannot be encoded; the kernel's verifier checks the rest at load time. Immediates of 32
 * bits are sign-extended to 64 by the machine. Not for use by several threads.
 */
public final class Assembler {
    /** MAX_BPF_STACK in linux/filter.h. */
    public static final int STACK_SIZE_BYTES = 512;

    private static final int STACK_STEP_BYTES = 32;

    private final List<Instruction> instructions = new ArrayList<>();
    private final List<Jump> jumps = new ArrayList<>();
    /** Where each function's address is loaded. */
    private final Map<List<Instruction>, List<Integer>> functionLoads = new LinkedHashMap<>();

    private int labelCount;
    private int stackBytes;
    /** The most that was taken at any time: what the verifier counts. */
    private int mostStackBytes;

    private int calledStackBytes;

    private record Jump(int position, Label target) {}

    /** {@return a label of this program, placed by {@link #bind}} */
    public Label newLabel() {
        return new Label(this, labelCount++);
    }

    /**
     * Places the label before the next instruction; once per label.
     *
     * @param label of this program
     * @return this
     */
    public Assembler bind(Label label) {
        owned(label).bindTo(instructions.size());
        return this;
    }

    /**
     * Reserves bytes on the stack.
     *
     * @param sizeBytes how many bytes
     * @return the offset from R10 at which the slot begins: negative, a multiple of 8
     * @throws StackExceededException when the program's slots, and what the functions that it calls take, exceed {@link
     *     #STACK_SIZE_BYTES}
     */
    public int stackSlot(int sizeBytes) {
        if (sizeBytes <= 0) {
            throw new IllegalArgumentException("a stack slot of " + sizeBytes + " bytes");
        }
        long total = stackBytes + (sizeBytes + 7L) / 8 * 8;
        checkStack("a stack slot of " + sizeBytes + " bytes", Math.max(total, mostStackBytes), calledStackBytes);
        stackBytes = (int) total;
        mostStackBytes = Math.max(mostStackBytes, stackBytes);
        return -stackBytes;
    }

    /** {@return how much of the stack is taken, for {@link #returnStack}} */
    public int takenStackBytes() {
        return stackBytes;
    }

    /**
     * Gives back the slots that were taken since. What follows gets them again, at other ends of the program than what used them before.
     *
     * @param takenBytes what {@link #takenStackBytes} returned
     */
    public void returnStack(int takenBytes) {
        if (takenBytes < 0 || takenBytes > stackBytes) {
            throw new IllegalArgumentException(takenBytes + " of " + stackBytes + " bytes of the stack");
        }
        stackBytes = takenBytes;
    }

    /** The verifier rounds what each function takes up (check_max_stack_depth in kernel/bpf/verifier.c). */
    private void checkStack(String what, long own, int called) {
        if ((own + STACK_STEP_BYTES - 1) / STACK_STEP_BYTES * STACK_STEP_BYTES + called > STACK_SIZE_BYTES) {
            throw new StackExceededException(what + " does not fit: " + mostStackBytes + " of the program's "
                    + STACK_SIZE_BYTES + " stack bytes are taken"
                    + (called == 0 ? "" : ", and " + called + " by functions that it calls"));
        }
    }

    /**
     * destination = source.
     *
     * @param destination the register that gets the result
     * @param source the register that is read
     * @return this
     */
    public Assembler mov(Register destination, Register source) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.MOV, destination, source);
    }

    /**
     * destination = immediate.
     *
     * @param destination the register that gets the result
     * @param immediate the constant
     * @return this
     */
    public Assembler mov(Register destination, int immediate) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.MOV, destination, immediate);
    }

    /**
     * Copies the lower 32 bits and clears the upper 32.
     *
     * @param destination the register that gets the result
     * @param source the register that is read
     * @return this
     */
    public Assembler mov32(Register destination, Register source) {
        return arithmetic(Opcode.BPF_ALU, Arithmetic.MOV, destination, source);
    }

    /**
     * Sets the lower 32 bits and clears the upper 32.
     *
     * @param destination the register that gets the result
     * @param immediate the constant
     * @return this
     */
    public Assembler mov32(Register destination, int immediate) {
        return arithmetic(Opcode.BPF_ALU, Arithmetic.MOV, destination, immediate);
    }

    /**
     * Loads all 64 bits; takes two instructions.
     *
     * @param destination the register that gets the result
     * @param immediate the constant
     * @return this
     */
    public Assembler loadImmediate64(Register destination, long immediate) {
        Instruction lower =
                new Instruction(Opcode.LOAD_IMMEDIATE_64, writable(destination), Register.R0, 0, (int) immediate);
        return add(lower).add(secondHalf((int) (immediate >>> 32)));
    }

    /**
     * Loads the address of a map, known by its name until the program is loaded; takes two instructions.
     *
     * @param destination the register that gets the result
     * @param mapName as in {@link dev.probestream.bpf.map.MapSpec}
     * @return this
     */
    public Assembler loadMap(Register destination, String mapName) {
        return loadMap(destination, Opcode.BPF_PSEUDO_MAP_FD, mapName);
    }

    /**
     * Loads the address of the value of an array with one entry, so that no helper is called for it; takes two
     * instructions. Since Linux 5.2.
     *
     * @param destination the register that gets the result
     * @param mapName as in {@link dev.probestream.bpf.map.MapSpec}
     * @return this
     */
    public Assembler loadMapValue(Register destination, String mapName) {
        return loadMap(destination, Opcode.BPF_PSEUDO_MAP_VALUE, mapName);
    }

    private Assembler loadMap(Register destination, Register pseudo, String mapName) {
        if (mapName.isEmpty()) {
            throw new IllegalArgumentException("a map to be loaded needs a name");
        }
        Instruction lower = new Instruction(Opcode.LOAD_IMMEDIATE_64, writable(destination), pseudo, 0, 0, mapName);
        return add(lower).add(secondHalf(0));
    }

    /**
     * Loads the address of a function that the kernel calls back, for {@link Helper#LOOP}; takes two instructions. The
     * function is placed behind the program, once however often it is loaded. Its stack and the program's together may
     * take {@link #STACK_SIZE_BYTES}. Since Linux 5.13.
     *
     * @param destination the register that gets the result
     * @param function assembled on its own; its arguments are in R1 and up, its result is R0
     * @return this
     */
    public Assembler loadFunction(Register destination, List<Instruction> function) {
        if (function.stream().anyMatch(Instruction::isFunctionLoad)) {
            throw new IllegalArgumentException("a function that loads the address of another");
        }
        functionLoads
                .computeIfAbsent(List.copyOf(function), unused -> new ArrayList<>())
                .add(instructions.size());
        Instruction lower =
                new Instruction(Opcode.LOAD_IMMEDIATE_64, writable(destination), Opcode.BPF_PSEUDO_FUNC, 0, 0);
        return add(lower).add(secondHalf(0));
    }

    /**
     * destination = *(base + offset), the upper bits cleared.
     *
     * @param width how many bytes
     * @param destination the register that gets the result
     * @param base the register with the address
     * @param offset added to the base, in bytes
     * @return this
     */
    public Assembler load(Width width, Register destination, Register base, int offset) {
        return add(new Instruction(
                Opcode.BPF_LDX | Opcode.BPF_MEM | width.opcodeBits(), writable(destination), base, offset, 0));
    }

    /**
     * (base + offset) = the lower bits of source.
     *
     * @param width how many bytes
     * @param base the register with the address
     * @param offset added to the base, in bytes
     * @param source the register that is read
     * @return this
     */
    public Assembler store(Width width, Register base, int offset, Register source) {
        return add(new Instruction(Opcode.BPF_STX | Opcode.BPF_MEM | width.opcodeBits(), base, source, offset, 0));
    }

    /**
     * (base + offset) = immediate, sign-extended when the width is a double word.
     *
     * @param width how many bytes
     * @param base the register with the address
     * @param offset added to the base, in bytes
     * @param immediate the constant
     * @return this
     */
    public Assembler storeImmediate(Width width, Register base, int offset, int immediate) {
        return add(new Instruction(
                Opcode.BPF_ST | Opcode.BPF_MEM | width.opcodeBits(), base, Register.R0, offset, immediate));
    }

    /**
     * (base + offset) += source, safe against every other CPU and against being preempted. Words and double words.
     *
     * @param width how many bytes
     * @param base the register with the address
     * @param offset added to the base, in bytes
     * @param source the register that is read
     * @return this
     */
    public Assembler atomicAdd(Width width, Register base, int offset, Register source) {
        return atomic(width, base, offset, source, Arithmetic.ADD.opcodeBits());
    }

    /**
     * The same, and source = what was at (base + offset) before. Since Linux 5.12. Words and double words.
     *
     * @param width how many bytes
     * @param base the register with the address
     * @param offset added to the base, in bytes
     * @param source the register that is read, and then has the earlier value
     * @return this
     */
    public Assembler atomicFetchAdd(Width width, Register base, int offset, Register source) {
        return atomic(width, base, offset, source, Arithmetic.ADD.opcodeBits() | Opcode.BPF_FETCH);
    }

    /**
     * Swaps (base + offset) and source. Since Linux 5.12. Words and double words.
     *
     * @param width how many bytes
     * @param base the register with the address
     * @param offset added to the base, in bytes
     * @param source the register that is read, and then has the earlier value
     * @return this
     */
    public Assembler atomicExchange(Width width, Register base, int offset, Register source) {
        return atomic(width, base, offset, source, Opcode.BPF_XCHG);
    }

    /**
     * If (base + offset) is R0, it becomes source; R0 = what was there before, in any case. Since Linux 5.12. Words and
     * double words.
     *
     * @param width how many bytes
     * @param base the register with the address
     * @param offset added to the base, in bytes
     * @param source the register that is read
     * @return this
     */
    public Assembler atomicCompareExchange(Width width, Register base, int offset, Register source) {
        return atomic(width, base, offset, source, Opcode.BPF_CMPXCHG);
    }

    private Assembler atomic(Width width, Register base, int offset, Register source, int operation) {
        if (width.sizeBytes() < Width.WORD.sizeBytes()) {
            throw new IllegalArgumentException("atomic instructions work on WORD and DOUBLE_WORD, not on " + width);
        }
        return add(new Instruction(
                Opcode.BPF_STX | Opcode.BPF_ATOMIC | width.opcodeBits(), base, source, offset, operation));
    }

    /**
     * destination += source.
     *
     * @param destination the register that gets the result
     * @param source the register that is read
     * @return this
     */
    public Assembler add(Register destination, Register source) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.ADD, destination, source);
    }

    /**
     * destination += immediate.
     *
     * @param destination the register that gets the result
     * @param immediate the constant
     * @return this
     */
    public Assembler add(Register destination, int immediate) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.ADD, destination, immediate);
    }

    /**
     * destination -= source.
     *
     * @param destination the register that gets the result
     * @param source the register that is read
     * @return this
     */
    public Assembler sub(Register destination, Register source) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.SUB, destination, source);
    }

    /**
     * destination -= immediate.
     *
     * @param destination the register that gets the result
     * @param immediate the constant
     * @return this
     */
    public Assembler sub(Register destination, int immediate) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.SUB, destination, immediate);
    }

    /**
     * destination *= source.
     *
     * @param destination the register that gets the result
     * @param source the register that is read
     * @return this
     */
    public Assembler mul(Register destination, Register source) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.MUL, destination, source);
    }

    /**
     * destination *= immediate.
     *
     * @param destination the register that gets the result
     * @param immediate the constant
     * @return this
     */
    public Assembler mul(Register destination, int immediate) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.MUL, destination, immediate);
    }

    /**
     * Divides unsigned; a divisor of 0 gives 0.
     *
     * @param destination the register that gets the result
     * @param source the register that is read
     * @return this
     */
    public Assembler div(Register destination, Register source) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.DIV, destination, source);
    }

    /**
     * destination &amp;= source.
     *
     * @param destination the register that gets the result
     * @param source the register that is read
     * @return this
     */
    public Assembler and(Register destination, Register source) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.AND, destination, source);
    }

    /**
     * destination &amp;= immediate.
     *
     * @param destination the register that gets the result
     * @param immediate the constant
     * @return this
     */
    public Assembler and(Register destination, int immediate) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.AND, destination, immediate);
    }

    /**
     * destination |= source.
     *
     * @param destination the register that gets the result
     * @param source the register that is read
     * @return this
     */
    public Assembler or(Register destination, Register source) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.OR, destination, source);
    }

    /**
     * destination |= immediate.
     *
     * @param destination the register that gets the result
     * @param immediate the constant
     * @return this
     */
    public Assembler or(Register destination, int immediate) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.OR, destination, immediate);
    }

    /**
     * destination ^= source.
     *
     * @param destination the register that gets the result
     * @param source the register that is read
     * @return this
     */
    public Assembler xor(Register destination, Register source) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.XOR, destination, source);
    }

    /**
     * destination ^= immediate.
     *
     * @param destination the register that gets the result
     * @param immediate the constant
     * @return this
     */
    public Assembler xor(Register destination, int immediate) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.XOR, destination, immediate);
    }

    /**
     * destination &lt;&lt;= source.
     *
     * @param destination the register that gets the result
     * @param source the register that is read
     * @return this
     */
    public Assembler shiftLeft(Register destination, Register source) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.LSH, destination, source);
    }

    /**
     * destination &lt;&lt;= bits.
     *
     * @param destination the register that gets the result
     * @param bits 0 to 63
     * @return this
     */
    public Assembler shiftLeft(Register destination, int bits) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.LSH, destination, shift(bits));
    }

    /**
     * destination &gt;&gt;&gt;= source.
     *
     * @param destination the register that gets the result
     * @param source the register that is read
     * @return this
     */
    public Assembler shiftRight(Register destination, Register source) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.RSH, destination, source);
    }

    /**
     * destination &gt;&gt;&gt;= bits.
     *
     * @param destination the register that gets the result
     * @param bits 0 to 63
     * @return this
     */
    public Assembler shiftRight(Register destination, int bits) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.RSH, destination, shift(bits));
    }

    /**
     * Shifts right and keeps the sign.
     *
     * @param destination the register that gets the result
     * @param source the register that is read
     * @return this
     */
    public Assembler shiftRightArithmetic(Register destination, Register source) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.ARSH, destination, source);
    }

    /**
     * Shifts right and keeps the sign.
     *
     * @param destination the register that gets the result
     * @param bits 0 to 63
     * @return this
     */
    public Assembler shiftRightArithmetic(Register destination, int bits) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.ARSH, destination, shift(bits));
    }

    /**
     * destination = -destination.
     *
     * @param destination the register
     * @return this
     */
    public Assembler negate(Register destination) {
        return arithmetic(Opcode.BPF_ALU64, Arithmetic.NEG, destination, 0);
    }

    /**
     * Keeps the lower {@code width} bits and clears the rest.
     *
     * @param destination the register that gets the result
     * @param width how many bytes
     * @return this
     */
    public Assembler zeroExtend(Register destination, Width width) {
        return switch (width) {
            case BYTE -> and(destination, 0xff);
            case HALF -> and(destination, 0xffff);
            case WORD -> mov32(destination, destination);
            case DOUBLE_WORD -> this;
        };
    }

    /**
     * Spreads the sign of the lower {@code width} bits over all 64; two shifts, so that every kernel supports it.
     *
     * @param destination the register that gets the result
     * @param width how many bytes
     * @return this
     */
    public Assembler signExtend(Register destination, Width width) {
        int bits = 64 - 8 * width.sizeBytes();
        return bits == 0 ? this : shiftLeft(destination, bits).shiftRightArithmetic(destination, bits);
    }

    /**
     * Jumps always.
     *
     * @param target where to jump
     * @return this
     */
    public Assembler jump(Label target) {
        return jump(Opcode.BPF_JA, Register.R0, Register.R0, 0, target);
    }

    /**
     * Compares two registers.
     *
     * @param condition when to jump
     * @param left the register that is compared
     * @param right what it is compared with
     * @param target where to jump
     * @return this
     */
    public Assembler jumpIf(Condition condition, Register left, Register right, Label target) {
        return jump(condition.opcodeBits() | Opcode.BPF_X, left, right, 0, target);
    }

    /**
     * Compares with an immediate that is sign-extended to 64 bits first, also for unsigned conditions.
     *
     * @param condition when to jump
     * @param left the register that is compared
     * @param right what it is compared with
     * @param target where to jump
     * @return this
     */
    public Assembler jumpIf(Condition condition, Register left, int right, Label target) {
        return jump(condition.opcodeBits(), left, Register.R0, right, target);
    }

    /**
     * Calls the kernel: arguments in R1 to R5, result in R0; R1 to R5 are lost.
     *
     * @param helper the function
     * @return this
     */
    public Assembler call(Helper helper) {
        return add(new Instruction(Opcode.CALL, Register.R0, Register.R0, 0, helper.number()));
    }

    /**
     * Calls a function of an object with which the program will be linked: arguments in R1 to R5, result in R0; R1 to R5
     * are lost.
     *
     * @param name of the function
     * @param itsStackBytes what it and the functions that it calls take of the stack, each rounded up to a multiple of 32:
     *     with the program's own slots at most {@link #STACK_SIZE_BYTES}
     * @return this
     * @throws StackExceededException when the program's slots leave less
     */
    public Assembler callFunction(String name, int itsStackBytes) {
        if (name.isEmpty()) {
            throw new IllegalArgumentException("a function to be called needs a name");
        }
        checkStack("the call of " + name, mostStackBytes, itsStackBytes);
        calledStackBytes = Math.max(calledStackBytes, itsStackBytes);
        return add(new Instruction(Opcode.CALL, Register.R0, Opcode.BPF_PSEUDO_CALL, 0, -1, name));
    }

    /**
     * Ends the program; its result is R0.
     *
     * @return this
     */
    public Assembler exit() {
        return add(new Instruction(Opcode.BPF_JMP | Opcode.BPF_EXIT, Register.R0, Register.R0, 0, 0));
    }

    /**
     * Appends a whole program that was assembled before.
     *
     * @param assembled its instructions
     * @return this
     */
    public Assembler append(List<Instruction> assembled) {
        instructions.addAll(assembled);
        return this;
    }

    /**
     * {@return whether any jump so far leads to the label}
     *
     * @param label of this program
     */
    public boolean isAimedAt(Label label) {
        Label wanted = owned(label);
        return jumps.stream().anyMatch(jump -> jump.target.equals(wanted));
    }

    /** {@return how many instructions there are so far} */
    public int size() {
        return instructions.size();
    }

    /**
     * {@return the program with every jump resolved, and its functions behind it}
     *
     * @throws IllegalStateException for a label that was never bound, one bound behind the last instruction, or a
     *     jump farther than 16 bits reach
     */
    public List<Instruction> assemble() {
        List<Instruction> resolved = new ArrayList<>(instructions);
        for (Jump jump : jumps) {
            resolved.set(jump.position, resolved.get(jump.position).withOffset(distance(jump)));
        }
        functionLoads.forEach((function, positions) -> {
            for (int position : positions) {
                int distance = resolved.size() - position - 1;
                resolved.set(position, resolved.get(position).withImmediate(distance));
            }
            resolved.addAll(function);
        });
        return List.copyOf(resolved);
    }

    private int distance(Jump jump) {
        int target = jump.target.position();
        if (target == Label.UNBOUND) {
            throw new IllegalStateException(
                    "instruction " + jump.position + " jumps to " + jump.target + ", which was never bound");
        }
        if (target == instructions.size()) {
            throw new IllegalStateException("instruction " + jump.position + " jumps to " + jump.target
                    + ", which is bound behind the last instruction");
        }
        int distance = target - jump.position - 1;
        if (distance != (short) distance) {
            throw new IllegalStateException("instruction " + jump.position + " jumps " + distance + " instructions to "
                    + jump.target + ": 16 bits reach from -32768 to 32767");
        }
        return distance;
    }

    private Assembler jump(int operation, Register left, Register right, int immediate, Label target) {
        jumps.add(new Jump(instructions.size(), owned(target)));
        return add(new Instruction(Opcode.BPF_JMP | operation, left, right, 0, immediate));
    }

    private Assembler arithmetic(int family, Arithmetic operation, Register destination, Register source) {
        return add(
                new Instruction(family | operation.opcodeBits() | Opcode.BPF_X, writable(destination), source, 0, 0));
    }

    private Assembler arithmetic(int family, Arithmetic operation, Register destination, int immediate) {
        return add(new Instruction(family | operation.opcodeBits(), writable(destination), Register.R0, 0, immediate));
    }

    private Assembler add(Instruction instruction) {
        instructions.add(instruction);
        return this;
    }

    private Label owned(Label label) {
        if (label.owner() != this) {
            throw new IllegalArgumentException(label + " belongs to another assembler");
        }
        return label;
    }

    private static Instruction secondHalf(int upperBits) {
        return new Instruction(Opcode.SECOND_HALF, Register.R0, Register.R0, 0, upperBits);
    }

    private static Register writable(Register destination) {
        if (destination == Register.R10) {
            throw new IllegalArgumentException("R10 is the frame pointer and cannot be written");
        }
        return destination;
    }

    private static int shift(int bits) {
        if (bits < 0 || bits > 63) {
            throw new IllegalArgumentException("a shift by " + bits + " bits: 64-bit registers shift by 0 to 63");
        }
        return bits;
    }
}
