package dev.probestream.collector.internal.program.snippet.histogram;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R7;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.collector.internal.program.layout.histogram.HistogramStackLayout;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.options.TaskOffsets;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.ProbeNumber;
import dev.probestream.collector.internal.program.snippet.StackCode;
import dev.probestream.collector.internal.program.snippet.StackHashCode;
import java.util.OptionalInt;

/**
 * Emits the code that writes the hash of the running thread's stack into the key of a histogram, and sends the stack through the
 * ring when it is hit for the first time. The stack is built in a room of the CPU: it is too large for the program's own, and a
 * place in the ring for every hit would fill the ring.
 */
final class HistogramStackCode {
    private static final int EEXIST = 17; // asm-generic/errno-base.h

    private final Assembler assembler;
    private final Fragments fragments;
    private final HistogramStackLayout layout;
    private final StackCode stacks;
    private final StackHashCode hashes;

    public HistogramStackCode(
            Assembler assembler, Fragments fragments, ProgramOptions options, HistogramStackLayout layout) {
        this.assembler = assembler;
        this.fragments = fragments;
        this.layout = layout;
        this.stacks = new StackCode(assembler, options.registers());
        this.hashes = new StackHashCode(
                assembler, options.tasks().map(TaskOffsets::selfExecId).orElse(OptionalInt.empty()));
    }

    /**
     * Writes the hash into the key. R6 = the context before; loses all registers.
     *
     * @param threadSlot where on the stack the running thread's ids stand
     * @param keySlot where the key is on the stack
     * @param notCounted where to go if the stack could not be built or sent
     */
    void write(int threadSlot, ProbeNumber probe, int keySlot, Label notCounted) {
        Label failed = assembler.newLabel();
        Label isSent = assembler.newLabel();
        Label unsent = assembler.newLabel();
        Label done = assembler.newLabel();
        int hashSlot = keySlot + layout.keyOffset();
        int wordSlot = assembler.stackSlot(Integer.BYTES);
        takeRoom(wordSlot, notCounted);
        fragments.header(threadSlot, RecordType.EVENT, probe);
        stacks.read(layout.sample().stacks());
        hashes.hash(layout.sample().stacks());
        assembler.store(Width.DOUBLE_WORD, R7, HistogramStackLayout.FIRST_HASH_OFFSET, R1);
        assembler.store(Width.DOUBLE_WORD, R7, HistogramStackLayout.SECOND_HASH_OFFSET, R2);
        assembler.store(Width.DOUBLE_WORD, R10, hashSlot, R1);
        assembler.store(Width.DOUBLE_WORD, R10, hashSlot + Long.BYTES, R2);
        fragments.lookup(layout.sentMap(), hashSlot);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, isSent);
        // First the entry: where there is no room for it, the stack would be sent at each of its hits.
        assembler.storeImmediate(Width.WORD, R10, wordSlot, 1);
        fragments.insert(layout.sentMap(), hashSlot, wordSlot);
        assembler.jumpIf(Condition.EQUAL, R0, -EEXIST, isSent);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, failed);
        assembler.loadMap(R1, MapNames.EVENTS).mov(R2, R7);
        assembler.mov(R3, layout.sample().sizeBytes()).mov(R4, Fragments.BPF_RB_NO_WAKEUP);
        assembler.call(Helper.RINGBUF_OUTPUT);
        assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, unsent);
        assembler.bind(isSent);
        leaveRoom();
        assembler.jump(done);
        assembler.bind(unsent);
        fragments.delete(layout.sentMap(), hashSlot);
        assembler.bind(failed);
        leaveRoom();
        assembler.jump(notCounted);
        assembler.bind(done);
    }

    /** R7 = a room that no other program uses, not even one that this one has preempted. */
    private void takeRoom(int wordSlot, Label none) {
        Label taken = assembler.newLabel();
        for (int room = 0; room < HistogramStackLayout.ROOMS; room++) {
            assembler.storeImmediate(Width.WORD, R10, wordSlot, room);
            fragments.lookup(layout.roomMap(), wordSlot);
            assembler.jumpIf(Condition.EQUAL, R0, 0, none);
            assembler.mov(R7, R0).mov(R1, 1);
            assembler.atomicExchange(Width.DOUBLE_WORD, R7, layout.busyOffset(), R1);
            assembler.jumpIf(Condition.EQUAL, R1, 0, taken);
        }
        assembler.jump(none);
        assembler.bind(taken);
    }

    private void leaveRoom() {
        assembler.mov(R1, 0).atomicExchange(Width.DOUBLE_WORD, R7, layout.busyOffset(), R1);
    }
}
