package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R8;
import static dev.probestream.bpf.asm.Register.R9;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.JavaScriptRoom;
import dev.probestream.collector.internal.program.layout.StackRoom;
import java.util.OptionalInt;

/**
 * Emits the code that hashes the stacks in the sample at R7, word by word, to 128 bits: two hashes of 64 bits with different
 * multipliers, of which the one takes a word in by xor and the other by addition. Each step is a bijection of the hash and of the
 * word. Among a million stacks the probability of two with the same hash is below 1 in 10^26; no frames are compared.
 *
 * <pre>
 * first  = (first ^ word) * FIRST_MULTIPLIER;   first  ^= first >>> 32
 * second = (second + word) * SECOND_MULTIPLIER; second ^= second >>> 29
 * </pre>
 *
 * The words of one list never begin those of another: each ends where a number cannot be part of it.
 */
public final class StackHashCode {
    /** Odd numbers with as many ones as zeros: the primes of xxHash64. */
    private static final long FIRST_MULTIPLIER = 0x9E3779B185EBCA87L;

    private static final long SECOND_MULTIPLIER = 0xC2B2AE3D27D4EB4FL;
    private static final long FIRST_SEED = 0x165667B19E3779F9L;
    private static final long SECOND_SEED = 0x85EBCA77C2B2AE63L;

    /** User addresses are between the first page, which is never mapped, and 56 bits. */
    private static final int PAGE_BITS = 12;

    private static final int ADDRESS_BITS = 56;

    /** Less than a user address: behind it are JavaScript frames. */
    private static final int JAVA_SCRIPT = 1;

    private final Assembler assembler;
    private final OptionalInt selfExecId;

    /** @param selfExecId where task_struct has how many programs the process executed */
    public StackHashCode(Assembler assembler, OptionalInt selfExecId) {
        this.assembler = assembler;
        this.selfExecId = selfExecId;
    }

    /** R1 and R2 = the hashes of the stacks at R7, behind a header. Loses all registers but R7. */
    public void hash(StackRoom room) {
        end(room.kernelBytesOffset(), room.kernelFramesOffset(), room.depths().kernel());
        end(room.userBytesOffset(), room.userFramesOffset(), room.depths().user());
        boolean hasUser = room.depths().user() > 0;
        int execIdSlot = hasUser && selfExecId.isPresent() ? execId(selfExecId.getAsInt()) : 0;
        assembler.loadImmediate64(R8, FIRST_MULTIPLIER).loadImmediate64(R9, SECOND_MULTIPLIER);
        assembler.loadImmediate64(R1, FIRST_SEED).loadImmediate64(R2, SECOND_SEED);
        addresses(room.kernelFramesOffset(), room.depths().kernel(), false);
        if (!hasUser) {
            return;
        }
        assembler.load(Width.WORD, R3, R7, EventLayout.TGID_OFFSET);
        add();
        if (execIdSlot != 0) {
            assembler.load(Width.DOUBLE_WORD, R3, R10, execIdSlot);
            add();
        }
        addresses(room.userFramesOffset(), room.depths().user(), true);
        if (room.javaScript().isAny()) {
            javaScript(room.javaScript());
        }
    }

    /** Writes a 0 behind the addresses, if there is room for more. */
    private void end(int bytesOffset, int framesOffset, int depth) {
        if (depth == 0) {
            return;
        }
        Label whole = assembler.newLabel();
        Label some = assembler.newLabel();
        assembler.load(Width.WORD, R1, R7, bytesOffset);
        // Negative: an error, with which nothing was written.
        assembler.jumpIf(Condition.LESS_OR_EQUAL, R1, depth * Long.BYTES, some);
        assembler.mov(R1, 0);
        assembler.bind(some);
        assembler.jumpIf(Condition.GREATER, R1, (depth - 1) * Long.BYTES, whole);
        assembler.mov(R2, R7).add(R2, R1).mov(R3, 0).store(Width.DOUBLE_WORD, R2, framesOffset, R3);
        assembler.bind(whole);
    }

    /** The kernel counts in it the programs that the process executed; -1 = it cannot be read. */
    private int execId(int offset) {
        int slot = assembler.stackSlot(Long.BYTES);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, slot, -1);
        assembler.call(Helper.GET_CURRENT_TASK).mov(R3, R0).add(R3, offset);
        assembler.mov(R1, R10).add(R1, slot).mov(R2, Long.BYTES).call(Helper.PROBE_READ_KERNEL);
        return slot;
    }

    private void addresses(int offset, int depth, boolean isUser) {
        Label end = assembler.newLabel();
        for (int frame = 0; frame < depth; frame++) {
            assembler.load(Width.DOUBLE_WORD, R3, R7, offset + frame * Long.BYTES);
            if (isUser) {
                assembler.mov(R4, R3).shiftRight(R4, PAGE_BITS).jumpIf(Condition.EQUAL, R4, 0, end);
                assembler.shiftRight(R4, ADDRESS_BITS - PAGE_BITS).jumpIf(Condition.NOT_EQUAL, R4, 0, end);
            } else {
                assembler.jumpIf(Condition.EQUAL, R3, 0, end);
            }
            add();
        }
        assembler.bind(end);
    }

    private void javaScript(JavaScriptRoom room) {
        Label end = assembler.newLabel();
        assembler.load(Width.WORD, R6, R7, room.offset() + JavaScriptRoom.COUNT_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R6, 0, end);
        assembler.mov(R3, JAVA_SCRIPT);
        add();
        // With the flags.
        assembler.load(Width.DOUBLE_WORD, R3, R7, room.offset() + JavaScriptRoom.COUNT_OFFSET);
        add();
        assembler.load(Width.DOUBLE_WORD, R3, R7, room.offset() + JavaScriptRoom.RELOCATIONS_OFFSET);
        add();
        for (int entry = 0; entry < room.frames(); entry++) {
            assembler.jumpIf(Condition.LESS_OR_EQUAL, R6, entry, end);
            int offset = room.offset() + JavaScriptRoom.ENTRIES_OFFSET + entry * JavaScriptRoom.ENTRY_SIZE_BYTES;
            for (int word = 0; word < JavaScriptRoom.ENTRY_SIZE_BYTES; word += Long.BYTES) {
                assembler.load(Width.DOUBLE_WORD, R3, R7, offset + word);
                add();
            }
        }
        assembler.bind(end);
    }

    /** Takes the word in R3 into the hashes; loses R4. */
    private void add() {
        assembler.xor(R1, R3).mul(R1, R8).mov(R4, R1).shiftRight(R4, 32).xor(R1, R4);
        assembler.add(R2, R3).mul(R2, R9).mov(R4, R2).shiftRight(R4, 29).xor(R2, R4);
    }
}
