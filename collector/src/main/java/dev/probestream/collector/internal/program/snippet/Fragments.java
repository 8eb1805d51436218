package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R7;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.options.TaskOffsets;
import dev.probestream.schema.record.LossReason;

/**
 * The pieces that all our programs are made of. What every program agrees on: R6 = its context, R7 = the sample it
 * writes, R8 = the bits of what could not be read, R9 = an open entry of a map; R0 to R5 belong to the piece at hand.
 */
public final class Fragments {
    /** linux/bpf.h: the collector polls, a wake-up per sample would cost 70 times the sample. */
    private static final int BPF_RB_NO_WAKEUP = 1;

    private static final int BPF_RB_FORCE_WAKEUP = 2;

    private final Assembler assembler;
    private final TargetFilter filter;
    private final ThreadIds ids;

    public Fragments(Assembler assembler, TargetFilter filter) {
        this.assembler = assembler;
        this.filter = filter;
        this.ids = new ThreadIds(assembler, filter.namespace());
    }

    /** Sets 8 bytes of stack aside and writes the running thread's ids there, tid first; ids are in R0, too. May lose R1
     * to R5. */
    public int currentThread() {
        int slot = assembler.stackSlot(Long.BYTES);
        currentThread(slot);
        return slot;
    }

    /** The same, to a place that is set aside. */
    public void currentThread(int stackOffset) {
        ids.ofCurrent(stackOffset);
    }

    /** Writes the ids of the task whose address a register has to the stack, tid first. May lose R0 to R5. */
    public void taskIds(int stackOffset, Register task, TaskOffsets offsets) {
        ids.ofTask(stackOffset, task, offsets);
    }

    /** Keeps the ids of the running thread, which ends. May lose R0 to R5. */
    public void keepEndedIds(int threadOffset) {
        ids.keepEnded(threadOffset);
    }

    /** Writes the ids of the running thread over those on the stack if they were kept. May lose R0 to R5. */
    public void endedIds(int threadOffset) {
        ids.ofEnded(threadOffset);
    }

    /** Jumps when the running thread is not traced; its ids are in R0 and at {@code threadOffset} on the stack. */
    public void rejectUntracedThread(int threadOffset, Label untraced) {
        switch (filter.mode()) {
            case EVERY_PROCESS -> {
                if (filter.pid() != 0) {
                    assembler.shiftRight(R0, 32);
                    assembler.jumpIf(Condition.EQUAL, R0, filter.pid(), untraced);
                }
            }
            case ONE_PROCESS -> {
                assembler.shiftRight(R0, 32);
                assembler.jumpIf(Condition.NOT_EQUAL, R0, filter.pid(), untraced);
            }
            case LISTED_PROCESSES -> rejectUnlistedProcess(threadOffset + Integer.BYTES, untraced);
            case CGROUP -> rejectUntracedCgroup(untraced);
        }
    }

    /** Jumps unless the u32 at {@code tgidOffset} on the stack is a traced process, whichever thread runs. */
    public void rejectUntracedProcess(int tgidOffset, Label untraced) {
        switch (filter.mode()) {
            case EVERY_PROCESS -> {
                if (filter.pid() != 0) {
                    assembler.load(Width.WORD, R0, R10, tgidOffset);
                    assembler.jumpIf(Condition.EQUAL, R0, filter.pid(), untraced);
                }
            }
            case ONE_PROCESS -> {
                assembler.load(Width.WORD, R0, R10, tgidOffset);
                assembler.jumpIf(Condition.NOT_EQUAL, R0, filter.pid(), untraced);
            }
            case LISTED_PROCESSES, CGROUP -> rejectUnlistedProcess(tgidOffset, untraced);
        }
    }

    private void rejectUntracedCgroup(Label untraced) {
        Label traced = assembler.newLabel();
        int lastLevel = filter.cgroupLevel() + filter.cgroupLevels() - 1;
        for (int level = filter.cgroupLevel(); level <= lastLevel; level++) {
            assembler.mov(R1, level).call(Helper.GET_CURRENT_ANCESTOR_CGROUP_ID);
            assembler.loadImmediate64(R1, filter.cgroupId());
            if (level == lastLevel) {
                assembler.jumpIf(Condition.NOT_EQUAL, R0, R1, untraced);
            } else {
                assembler.jumpIf(Condition.EQUAL, R0, R1, traced);
            }
        }
        assembler.bind(traced);
    }

    private void rejectUnlistedProcess(int tgidOffset, Label untraced) {
        lookup(MapNames.TARGETS, tgidOffset);
        assembler.jumpIf(Condition.EQUAL, R0, 0, untraced);
    }

    /** R0 = the value under the key on the stack, or 0. */
    public void lookup(String map, int keyOffset) {
        assembler.loadMap(R1, map);
        assembler.mov(R2, R10).add(R2, keyOffset);
        assembler.call(Helper.MAP_LOOKUP_ELEM);
    }

    /** Deletes the key on the stack. */
    public void delete(String map, int keyOffset) {
        assembler.loadMap(R1, map);
        assembler.mov(R2, R10).add(R2, keyOffset);
        assembler.call(Helper.MAP_DELETE_ELEM);
    }

    /** R7 = a new sample of this size. */
    public void reserve(int sizeBytes, Label full) {
        assembler.loadMap(R1, MapNames.EVENTS).mov(R2, sizeBytes).mov(R3, 0);
        assembler.call(Helper.RINGBUF_RESERVE);
        assembler.jumpIf(Condition.EQUAL, R0, 0, full);
        assembler.mov(R7, R0);
    }

    public void submit() {
        assembler.mov(R1, R7).mov(R2, BPF_RB_NO_WAKEUP).call(Helper.RINGBUF_SUBMIT);
    }

    /** The reader is to read it at once: the process may end next. */
    public void submitAndWake() {
        assembler.mov(R1, R7).mov(R2, BPF_RB_FORCE_WAKEUP).call(Helper.RINGBUF_SUBMIT);
    }

    /** Writes the header's cpu, record type and probe. */
    public void cpuTypeProbe(Register base, int baseOffset, RecordType recordType, ProbeNumber probe) {
        assembler.call(Helper.GET_SMP_PROCESSOR_ID);
        assembler.store(Width.HALF, base, baseOffset + EventLayout.CPU_OFFSET, R0);
        assembler.storeImmediate(Width.HALF, base, baseOffset + EventLayout.RECORD_TYPE_OFFSET, recordType.code());
        probe.store(base, baseOffset + EventLayout.PROBE_ID_OFFSET);
    }

    /** Writes a whole header into the sample at R7 but for what could not be read: now, no duration. */
    public void header(int threadOffset, RecordType recordType, ProbeNumber probe) {
        assembler.call(Helper.KTIME_GET_NS);
        assembler.store(Width.DOUBLE_WORD, R7, EventLayout.TIMESTAMP_OFFSET, R0);
        assembler.load(Width.DOUBLE_WORD, R1, R10, threadOffset);
        assembler.store(Width.DOUBLE_WORD, R7, EventLayout.TID_OFFSET, R1);
        cpuTypeProbe(R7, 0, recordType, probe);
        assembler.storeImmediate(Width.DOUBLE_WORD, R7, EventLayout.DURATION_OFFSET, -1);
    }

    /** Counts a hit that could not be delivered; without the map's entry nothing is counted. */
    public void countLoss(LossReason reason, ProbeNumber probe, int keyOffset) {
        Label done = assembler.newLabel();
        probe.storeLossIndex(reason, keyOffset);
        lookup(MapNames.LOSSES, keyOffset);
        assembler.jumpIf(Condition.EQUAL, R0, 0, done);
        assembler.mov(R1, 1);
        // Atomic: a uprobe program can be preempted by another on the same cpu.
        assembler.atomicAdd(Width.DOUBLE_WORD, R0, 0, R1);
        assembler.bind(done);
    }

    /**
     * Counts a hit of a traced process even if it is not recorded: the trap has cost its thread time. Before the
     * filter. May lose R0 to R5.
     */
    public void countHit(ProbeNumber probe, int keyOffset) {
        Label done = assembler.newLabel();
        probe.store(R10, keyOffset);
        lookup(MapNames.HITS, keyOffset);
        assembler.jumpIf(Condition.EQUAL, R0, 0, done);
        assembler.mov(R1, 1);
        // Atomic: a uprobe program can be preempted by another on the same cpu.
        assembler.atomicAdd(Width.DOUBLE_WORD, R0, 0, R1);
        assembler.bind(done);
    }

    /** Ends the program. Always 0: for a tracepoint any other value would write perf's own record, too. */
    public void exit() {
        assembler.mov(R0, 0).exit();
    }
}
