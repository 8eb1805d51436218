package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R8;
import static dev.probestream.bpf.asm.Register.R9;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.OffCpuLayout;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.collector.internal.program.layout.SumLayout;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.options.TaskOffsets;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.ProbeNumber;
import dev.probestream.collector.internal.program.snippet.TaskCode;
import dev.probestream.schema.record.LossReason;
import java.util.List;
import java.util.Optional;

/**
 * Writes the programs that sum the times in which a recorded thread has no cpu, and the part of them in which it could have
 * run (raw tracepoints sched_switch and sched_waking). A time is an event when it reaches the limit; when the thread did
 * not sleep but was preempted, or waited for a disk or a page, an eighth of the limit: such a time is never that of an
 * idle thread.
 */
public final class SummedSchedPrograms {
    private static final int PREEMPTED_OFFSET_IN_CONTEXT = 0;
    private static final int PREVIOUS_OFFSET_IN_CONTEXT = 8;
    private static final int NEXT_OFFSET_IN_CONTEXT = 16;
    private static final int STATE_OFFSET_IN_CONTEXT = 24;
    private static final int TAG_SHIFT = 20;
    private static final int NO_SLEEP_SHIFT = 3;

    // linux/sched.h
    private static final int TASK_INTERRUPTIBLE = 1;
    private static final int TASK_UNINTERRUPTIBLE = 2;
    private static final int TASK_IDLE = 0x402;
    private static final int TASK_DEAD = 0x80;
    private static final int TASK_RTLOCK_WAIT_OR_FROZEN = 0x9000;
    private static final int HIGHEST_REPORTED = 0x40;
    private static final int REPORT_IDLE = 0x80;
    private static final int REPORT_PREEMPTED = 0x100;

    private final TargetFilter filter;
    private final TaskOffsets offsets;
    private final int offCpuId;
    private final int runDelayId;

    /**
     * @param offCpuId the probe of times without a cpu
     * @param runDelayId that of their parts in which the thread could run
     */
    public SummedSchedPrograms(TargetFilter filter, TaskOffsets offsets, int offCpuId, int runDelayId) {
        this.filter = filter;
        this.offsets = offsets;
        this.offCpuId = offCpuId;
        this.runDelayId = runDelayId;
    }

    /** sched_switch(bool preempt, task_struct *previous, task_struct *next[, unsigned int previousState]). */
    public List<Instruction> switchProgram() {
        return new Switch().write();
    }

    /** sched_waking(task_struct *woken); the running thread wakes it. */
    public List<Instruction> wakingProgram() {
        Assembler assembler = new Assembler();
        Fragments fragments = new Fragments(assembler, filter);
        TaskCode tasks = new TaskCode(assembler, filter, offsets);
        Label ignored = assembler.newLabel();
        int taskSlot = assembler.stackSlot(Long.BYTES);
        int wakerSlot = assembler.stackSlot(Long.BYTES);
        int keySlot = assembler.stackSlot(Integer.BYTES);
        assembler.load(Width.DOUBLE_WORD, R1, R1, 0).store(Width.DOUBLE_WORD, R10, taskSlot, R1);
        fragments.lookup(MapNames.OFF_CPU, taskSlot);
        assembler.jumpIf(Condition.EQUAL, R0, 0, ignored);
        assembler.mov(R9, R0);
        assembler.load(Width.DOUBLE_WORD, R1, R9, EventLayout.TIMESTAMP_OFFSET);
        assembler.jumpIf(Condition.EQUAL, R1, 0, ignored);
        assembler.load(Width.DOUBLE_WORD, R1, R9, OffCpuLayout.RUNNABLE_SINCE_OFFSET);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, 0, ignored);
        fragments.countHit(ProbeNumber.constant(assembler, runDelayId), keySlot);
        fragments.currentThread(wakerSlot);
        ids(assembler, wakerSlot, OffCpuLayout.WAKER_TID_OFFSET, OffCpuLayout.WAKER_PID_OFFSET);
        tasks.currentComm(R9, OffCpuLayout.WAKER_COMM_OFFSET);
        clear(assembler, OffCpuLayout.WAKER_UNAVAILABLE);
        assembler.call(Helper.KTIME_GET_NS);
        assembler.store(Width.DOUBLE_WORD, R9, OffCpuLayout.RUNNABLE_SINCE_OFFSET, R0);
        assembler.bind(ignored);
        fragments.exit();
        return assembler.assemble();
    }

    private static void ids(Assembler assembler, int slot, int tidOffset, int pidOffset) {
        assembler.load(Width.WORD, R1, R10, slot).store(Width.DOUBLE_WORD, R9, tidOffset, R1);
        assembler.load(Width.WORD, R1, R10, slot + Integer.BYTES).store(Width.DOUBLE_WORD, R9, pidOffset, R1);
    }

    private static void clear(Assembler assembler, int unavailable) {
        assembler
                .load(Width.DOUBLE_WORD, R1, R9, EventLayout.UNAVAILABLE_OFFSET)
                .and(R1, ~unavailable);
        assembler.store(Width.DOUBLE_WORD, R9, EventLayout.UNAVAILABLE_OFFSET, R1);
    }

    /** The program at a switch: it begins the time of the one thread and ends that of the other. */
    private final class Switch {
        private final Assembler assembler = new Assembler();
        private final Fragments fragments = new Fragments(assembler, filter);
        private final TaskCode tasks = new TaskCode(assembler, filter, offsets);
        private final ProbeNumber probe = ProbeNumber.constant(assembler, offCpuId);
        private final SumCode sums = new SumCode(assembler, fragments, MapNames.SCHED_SUMS, MapNames.SCHED_REST);
        private final int keySlot = assembler.stackSlot(Integer.BYTES);
        private final int timeSlot = assembler.stackSlot(Long.BYTES);
        private final int threadSlot = assembler.stackSlot(Long.BYTES);
        private final int taskSlot = assembler.stackSlot(Long.BYTES);
        private final int stateSlot = assembler.stackSlot(Long.BYTES);
        private final int idsSlot = assembler.stackSlot(Long.BYTES);
        private final Label arrival = assembler.newLabel();
        private final Label exit = assembler.newLabel();

        List<Instruction> write() {
            assembler.mov(R6, R1);
            fragments.currentThread(threadSlot);
            tasks.endedIds(threadSlot);
            assembler.load(Width.DOUBLE_WORD, R0, R10, threadSlot);
            fragments.rejectUntracedThread(threadSlot, arrival);
            departure();
            assembler.bind(arrival);
            arrival();
            assembler.bind(exit);
            fragments.exit();
            return assembler.assemble();
        }

        /** The running thread leaves its cpu. */
        private void departure() {
            Label isNew = assembler.newLabel();
            Label known = assembler.newLabel();
            Label ends = assembler.newLabel();
            fragments.countHit(probe, keySlot);
            state();
            assembler.load(Width.DOUBLE_WORD, R1, R6, PREVIOUS_OFFSET_IN_CONTEXT);
            assembler.store(Width.DOUBLE_WORD, R10, taskSlot, R1);
            assembler.load(Width.DOUBLE_WORD, R1, R10, stateSlot);
            assembler.jumpIf(Condition.BITS_SET, R1, TASK_DEAD, ends);
            fragments.lookup(MapNames.OFF_CPU, taskSlot);
            assembler.jumpIf(Condition.EQUAL, R0, 0, isNew);
            assembler.mov(R9, R0);
            // If it stands there as gone, its coming back was not seen (the kernel does not trace all threads that give
            // a cpu
            // away). How long it was gone is not known: it is in no sum.
            assembler.bind(known);
            begin();
            assembler.jump(arrival);
            assembler.bind(ends);
            fragments.delete(MapNames.OFF_CPU, taskSlot);
            assembler.jump(arrival);
            assembler.bind(isNew);
            addThread();
            assembler.jump(known);
        }

        /** Puts the state in which the thread leaves into its slot, as task_struct has it. */
        private void state() {
            assembler.storeImmediate(Width.DOUBLE_WORD, R10, stateSlot, 0);
            if (offsets.switchHasPreviousState()) {
                assembler.load(Width.DOUBLE_WORD, R1, R6, STATE_OFFSET_IN_CONTEXT);
                assembler.store(Width.WORD, R10, stateSlot, R1);
            } else {
                assembler.load(Width.DOUBLE_WORD, R8, R6, PREVIOUS_OFFSET_IN_CONTEXT);
                tasks.read(R10, stateSlot, offsets.stateSizeBytes(), R8, offsets.state());
            }
        }

        /** R9 = the new entry of the thread. */
        private void addThread() {
            Label added = assembler.newLabel();
            int valueSlot = assembler.stackSlot(OffCpuLayout.VALUE_SIZE_BYTES);
            for (int offset = 0; offset < OffCpuLayout.VALUE_SIZE_BYTES; offset += Long.BYTES) {
                assembler.storeImmediate(Width.DOUBLE_WORD, R10, valueSlot + offset, 0);
            }
            assembler.storeImmediate(
                    Width.HALF, R10, valueSlot + EventLayout.RECORD_TYPE_OFFSET, RecordType.EVENT.code());
            assembler.storeImmediate(Width.WORD, R10, valueSlot + EventLayout.PROBE_ID_OFFSET, offCpuId);
            assembler.storeImmediate(Width.DOUBLE_WORD, R10, valueSlot + EventLayout.DURATION_OFFSET, -1);
            assembler.call(Helper.KTIME_GET_NS).shiftRight(R0, TAG_SHIFT);
            assembler.store(Width.WORD, R10, valueSlot + OffCpuLayout.THREAD_TAG_OFFSET, R0);
            fragments.insert(MapNames.OFF_CPU, taskSlot, valueSlot);
            fragments.lookup(MapNames.OFF_CPU, taskSlot);
            assembler.jumpIf(Condition.NOT_EQUAL, R0, 0, added);
            fragments.countLoss(LossReason.TOO_MANY_OPEN_SPANS, probe, keySlot);
            assembler.jump(arrival);
            assembler.bind(added);
            assembler.mov(R9, R0);
        }

        /** Writes into the entry at R9 that the thread has no cpu from now on. */
        private void begin() {
            Label sleeps = assembler.newLabel();
            Label begun = assembler.newLabel();
            assembler.load(Width.DOUBLE_WORD, R1, R10, threadSlot);
            assembler.store(Width.DOUBLE_WORD, R9, EventLayout.TID_OFFSET, R1);
            assembler.call(Helper.GET_SMP_PROCESSOR_ID).store(Width.HALF, R9, EventLayout.CPU_OFFSET, R0);
            for (int offset = OffCpuLayout.RUNNABLE_OFFSET;
                    offset <= OffCpuLayout.RUNNABLE_SINCE_OFFSET;
                    offset += Long.BYTES) {
                assembler.storeImmediate(Width.DOUBLE_WORD, R9, offset, 0);
            }
            unavailable(
                    OffCpuLayout.RUNNABLE_UNAVAILABLE | OffCpuLayout.WAKER_UNAVAILABLE | OffCpuLayout.NEXT_UNAVAILABLE);
            reportedState(sleeps);
            next();
            unavailable(OffCpuLayout.RUNNABLE_UNAVAILABLE | OffCpuLayout.WAKER_UNAVAILABLE);
            assembler.call(Helper.KTIME_GET_NS);
            assembler
                    .store(Width.DOUBLE_WORD, R9, OffCpuLayout.RUNNABLE_SINCE_OFFSET, R0)
                    .jump(begun);
            assembler.bind(sleeps);
            assembler.call(Helper.KTIME_GET_NS);
            assembler.bind(begun);
            assembler.store(Width.DOUBLE_WORD, R9, EventLayout.TIMESTAMP_OFFSET, R0);
        }

        private void unavailable(int bits) {
            assembler.storeImmediate(Width.DOUBLE_WORD, R9, EventLayout.UNAVAILABLE_OFFSET, bits);
        }

        /** Writes who takes the cpu into the entry at R9. */
        private void next() {
            int entrySlot = assembler.stackSlot(Long.BYTES);
            int commSlot = assembler.stackSlot(2 * Long.BYTES);
            assembler.store(Width.DOUBLE_WORD, R10, entrySlot, R9);
            assembler.load(Width.DOUBLE_WORD, R9, R6, NEXT_OFFSET_IN_CONTEXT);
            tasks.ids(idsSlot, R9);
            tasks.comm(R10, commSlot, R9);
            assembler.load(Width.DOUBLE_WORD, R9, R10, entrySlot);
            ids(assembler, idsSlot, OffCpuLayout.NEXT_TID_OFFSET, OffCpuLayout.NEXT_PID_OFFSET);
            for (int word = 0; word < 2; word++) {
                assembler.load(Width.DOUBLE_WORD, R1, R10, commSlot + word * Long.BYTES);
                assembler.store(Width.DOUBLE_WORD, R9, OffCpuLayout.NEXT_COMM_OFFSET + word * Long.BYTES, R1);
            }
        }

        /** Writes the state as {@code __trace_sched_switch_state} has it; jumps unless the thread can run. */
        private void reportedState(Label sleeps) {
            Label preempted = assembler.newLabel();
            Label found = assembler.newLabel();
            assembler
                    .load(Width.DOUBLE_WORD, R1, R6, PREEMPTED_OFFSET_IN_CONTEXT)
                    .zeroExtend(R1, Width.BYTE);
            assembler.mov(R2, REPORT_PREEMPTED).jumpIf(Condition.NOT_EQUAL, R1, 0, preempted);
            assembler.load(Width.DOUBLE_WORD, R1, R10, stateSlot);
            assembler.mov(R2, R1).jumpIf(Condition.EQUAL, R1, 0, preempted);
            assembler.jumpIf(Condition.EQUAL, R1, TASK_INTERRUPTIBLE, found);
            assembler.mov(R3, R1).and(R3, TASK_IDLE);
            assembler.mov(R2, REPORT_IDLE).jumpIf(Condition.EQUAL, R3, TASK_IDLE, found);
            assembler.mov(R2, TASK_UNINTERRUPTIBLE);
            assembler.jumpIf(Condition.BITS_SET, R1, TASK_RTLOCK_WAIT_OR_FROZEN, found);
            for (int bit = HIGHEST_REPORTED; bit > TASK_INTERRUPTIBLE; bit /= 2) {
                assembler.mov(R2, bit).jumpIf(Condition.BITS_SET, R1, bit, found);
            }
            assembler.mov(R2, TASK_INTERRUPTIBLE);
            assembler.bind(found);
            assembler.store(Width.DOUBLE_WORD, R9, OffCpuLayout.STATE_OFFSET, R2);
            assembler.jump(sleeps);
            assembler.bind(preempted);
            assembler.store(Width.DOUBLE_WORD, R9, OffCpuLayout.STATE_OFFSET, R2);
        }

        /** The other thread comes onto the cpu. */
        private void arrival() {
            Label isSummed = assembler.newLabel();
            assembler.load(Width.DOUBLE_WORD, R1, R6, NEXT_OFFSET_IN_CONTEXT);
            assembler.store(Width.DOUBLE_WORD, R10, taskSlot, R1);
            fragments.lookup(MapNames.OFF_CPU, taskSlot);
            assembler.jumpIf(Condition.EQUAL, R0, 0, exit);
            assembler.mov(R9, R0);
            assembler.load(Width.DOUBLE_WORD, R8, R9, EventLayout.TIMESTAMP_OFFSET);
            assembler.jumpIf(Condition.EQUAL, R8, 0, exit);
            assembler.call(Helper.KTIME_GET_NS).store(Width.DOUBLE_WORD, R10, timeSlot, R0);
            key();
            runDelay(isSummed);
            assembler.bind(isSummed);
            assembler.load(Width.DOUBLE_WORD, R8, R10, timeSlot);
            assembler
                    .load(Width.DOUBLE_WORD, R1, R9, EventLayout.TIMESTAMP_OFFSET)
                    .sub(R8, R1);
            sum(offCpuId, 0);
            Label over = assembler.newLabel();
            rejectShort(over);
            event(over);
            assembler.bind(over);
            assembler.storeImmediate(Width.DOUBLE_WORD, R9, EventLayout.TIMESTAMP_OFFSET, 0);
        }

        private void key() {
            assembler.load(Width.WORD, R1, R9, EventLayout.TID_OFFSET);
            assembler.store(Width.WORD, R10, sums.keySlot() + SumLayout.KEY_TID_OFFSET, R1);
            assembler.load(Width.WORD, R1, R9, OffCpuLayout.THREAD_TAG_OFFSET);
            assembler.store(Width.WORD, R10, sums.keySlot() + SumLayout.KEY_THREAD_TAG_OFFSET, R1);
            assembler.load(Width.WORD, R1, R9, EventLayout.TGID_OFFSET).store(Width.WORD, R10, idsSlot, R1);
        }

        /** Of a thread that was seen to be woken, or never slept. */
        private void runDelay(Label unknown) {
            assembler.load(Width.DOUBLE_WORD, R1, R9, OffCpuLayout.RUNNABLE_SINCE_OFFSET);
            assembler.jumpIf(Condition.EQUAL, R1, 0, unknown);
            assembler.load(Width.DOUBLE_WORD, R8, R10, timeSlot).sub(R8, R1);
            assembler.store(Width.DOUBLE_WORD, R9, OffCpuLayout.RUNNABLE_OFFSET, R8);
            clear(assembler, OffCpuLayout.RUNNABLE_UNAVAILABLE);
            sum(runDelayId, 1);
        }

        private void sum(int probeId, int restIndex) {
            assembler.storeImmediate(Width.WORD, R10, sums.keySlot() + SumLayout.KEY_PROBE_ID_OFFSET, probeId);
            sums.add(idsSlot, () -> assembler.mov(R1, restIndex), Optional.empty());
        }

        private void rejectShort(Label isShort) {
            Label sleeps = assembler.newLabel();
            assembler.loadMapValue(R1, MapNames.SCHED_LIMIT).load(Width.DOUBLE_WORD, R1, R1, 0);
            assembler.load(Width.DOUBLE_WORD, R2, R9, OffCpuLayout.STATE_OFFSET);
            assembler.jumpIf(Condition.EQUAL, R2, TASK_INTERRUPTIBLE, sleeps);
            assembler.shiftRight(R1, NO_SLEEP_SHIFT);
            assembler.bind(sleeps);
            assembler.jumpIf(Condition.LESS, R8, R1, isShort);
        }

        private void event(Label over) {
            Label full = assembler.newLabel();
            fragments.reserve(OffCpuLayout.SAMPLE_SIZE_BYTES, full);
            for (int offset = 0; offset < OffCpuLayout.SAMPLE_SIZE_BYTES; offset += Long.BYTES) {
                assembler.load(Width.DOUBLE_WORD, R1, R9, offset).store(Width.DOUBLE_WORD, R7, offset, R1);
            }
            assembler.store(Width.DOUBLE_WORD, R7, EventLayout.DURATION_OFFSET, R8);
            fragments.submit();
            assembler.jump(over);
            assembler.bind(full);
            fragments.countLoss(LossReason.RING_FULL, probe, keySlot);
        }
    }
}
