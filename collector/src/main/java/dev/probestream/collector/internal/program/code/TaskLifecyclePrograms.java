package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R9;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.RecordType;
import dev.probestream.collector.internal.program.layout.TaskLifecycleLayout;
import dev.probestream.collector.internal.program.options.FollowRule;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.options.TaskOffsets;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.ProbeNumber;
import dev.probestream.collector.internal.program.snippet.TaskCode;
import dev.probestream.collector.internal.program.snippet.WindowCode;
import dev.probestream.schema.record.LossReason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Writes the programs that record the task lifecycle (raw tracepoints sched_process_fork, sched_process_exec,
 * sched_process_exit, task_rename) and keep {@link MapNames#TARGETS} up to date by the {@link FollowRule}. A child is in
 * the map before it runs its first instruction.
 */
public final class TaskLifecyclePrograms {
    /** The id under which losses of these samples are counted. */
    static final int PROBE_ID = 0;

    /** Of leave_phases() of src/main/bpf/phases.bpf.c. */
    private static final int CALLED_STACK_BYTES = 32;

    private final TargetFilter filter;
    private final FollowRule follow;
    private final TaskOffsets offsets;
    private final boolean leavesPhases;

    /** @param leavesPhases whether {@link MapNames#PHASES} is there: what a thread has open in it ends with the thread */
    public TaskLifecyclePrograms(TargetFilter filter, FollowRule follow, TaskOffsets offsets, boolean leavesPhases) {
        this.filter = filter;
        this.follow = follow;
        this.offsets = offsets;
        this.leavesPhases = leavesPhases;
    }

    /** What the programs share while one is written. */
    private final class Frame {
        final Assembler assembler = new Assembler();
        final Fragments fragments = new Fragments(assembler, filter);
        final TaskCode tasks = new TaskCode(assembler, filter, offsets);
        final Label record = assembler.newLabel();
        final Label untraced = assembler.newLabel();
        final Label full = assembler.newLabel();
        final int keySlot = assembler.stackSlot(Integer.BYTES);
        final int idsSlot = assembler.stackSlot(Long.BYTES);
        final int commSlot = assembler.stackSlot(FollowRule.COMM_SIZE_BYTES);

        /** Writes header and name from the stack: ids at {@code headerIdsSlot}, name at {@code commSlot}. */
        void sample(RecordType recordType, int headerIdsSlot) {
            fragments.reserve(TaskLifecycleLayout.SIZE_BYTES, full);
            fragments.header(headerIdsSlot, recordType, ProbeNumber.constant(assembler, PROBE_ID));
            assembler.storeImmediate(Width.DOUBLE_WORD, R7, EventLayout.UNAVAILABLE_OFFSET, 0);
            assembler.storeImmediate(Width.DOUBLE_WORD, R7, TaskLifecycleLayout.FIRST_OFFSET, 0);
            copy(commSlot, TaskLifecycleLayout.COMM_OFFSET);
            copy(commSlot + Long.BYTES, TaskLifecycleLayout.COMM_OFFSET + Long.BYTES);
        }

        void copy(int stackOffset, int sampleOffset) {
            assembler.load(Width.DOUBLE_WORD, R1, R10, stackOffset);
            assembler.store(Width.DOUBLE_WORD, R7, sampleOffset, R1);
        }

        /** Gives up the open spans of the running thread that end where the next begins: its stack is gone. */
        void leavePhases(int threadSlot) {
            Label none = assembler.newLabel();
            WindowCode.skipUnlessOpen(assembler, none);
            assembler.load(Width.WORD, R1, R10, threadSlot).callFunction("leave_phases", CALLED_STACK_BYTES);
            assembler.bind(none);
        }

        List<Instruction> end() {
            assembler.bind(untraced);
            fragments.exit();
            assembler.bind(full);
            fragments.countLoss(LossReason.RING_FULL, ProbeNumber.constant(assembler, PROBE_ID), keySlot);
            fragments.exit();
            return assembler.assemble();
        }

        /** Puts the u32 on the stack into the set of recorded processes. */
        void addTarget(int tgidOffset) {
            int valueSlot = assembler.stackSlot(Integer.BYTES);
            assembler.storeImmediate(Width.WORD, R10, valueSlot, 1);
            assembler.loadMap(R1, MapNames.TARGETS);
            assembler.mov(R2, R10).add(R2, tgidOffset);
            assembler.mov(R3, R10).add(R3, valueSlot).mov(R4, 0);
            assembler.call(Helper.MAP_UPDATE_ELEM);
        }

        /** Jumps unless the name on the stack is the one to be recorded. */
        void rejectOtherComm(Label other) {
            ByteBuffer comm = ByteBuffer.wrap(follow.commBytes()).order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; i < FollowRule.COMM_SIZE_BYTES; i += Long.BYTES) {
                assembler.load(Width.DOUBLE_WORD, R2, R10, commSlot + i).loadImmediate64(R3, comm.getLong(i));
                assembler.jumpIf(Condition.NOT_EQUAL, R2, R3, other);
            }
        }
    }

    /** sched_process_fork(task_struct *parent, task_struct *child): the parent runs, the child not yet. */
    public List<Instruction> forkProgram() {
        Frame frame = new Frame();
        Assembler assembler = frame.assembler;
        assembler.mov(R6, R1);
        int thread = frame.fragments.currentThread();
        frame.fragments.rejectUntracedThread(thread, frame.untraced);
        assembler.load(Width.DOUBLE_WORD, R9, R6, Long.BYTES);
        frame.tasks.ids(frame.idsSlot, R9);
        frame.tasks.comm(R10, frame.commSlot, R9);
        if (filter.mode() != TargetFilter.Mode.EVERY_PROCESS) {
            newProcess(frame, thread);
        }
        assembler.bind(frame.record);
        frame.sample(RecordType.FORK, thread);
        frame.copy(frame.idsSlot, TaskLifecycleLayout.FIRST_OFFSET);
        frame.fragments.submit();
        return frame.end();
    }

    /**
     * Goes on for a new thread of a recorded process, and for a new process. A process is traced only if a rule follows it;
     * the record of one that is not traced reports a child that is not seen.
     */
    private void newProcess(Frame frame, int thread) {
        Assembler assembler = frame.assembler;
        int childTgid = frame.idsSlot + Integer.BYTES;
        assembler.load(Width.WORD, R1, R10, childTgid).load(Width.WORD, R2, R10, thread + Integer.BYTES);
        assembler.jumpIf(Condition.EQUAL, R1, R2, frame.record);
        boolean staysInCgroup = filter.mode() == TargetFilter.Mode.CGROUP;
        if (!filter.needsTargets() || !(follow.children() || follow.hasComm() || staysInCgroup)) {
            return;
        }
        if (!follow.children() && !staysInCgroup) {
            frame.rejectOtherComm(frame.untraced);
        }
        frame.addTarget(childTgid);
    }

    /** sched_process_exec(task_struct *task, pid_t old_pid, linux_binprm *): the task runs, under its new name. */
    public List<Instruction> execProgram() {
        Frame frame = new Frame();
        Assembler assembler = frame.assembler;
        Label untracedTask = assembler.newLabel();
        assembler.mov(R6, R1);
        int thread = frame.fragments.currentThread();
        frame.tasks.currentComm(R10, frame.commSlot);
        assembler.load(Width.DOUBLE_WORD, R0, R10, thread);
        boolean canJoin = filter.needsTargets() && follow.hasComm();
        frame.fragments.rejectUntracedThread(thread, canJoin ? untracedTask : frame.untraced);
        if (filter.mode() == TargetFilter.Mode.CGROUP) {
            frame.addTarget(thread + Integer.BYTES);
        }
        if (canJoin) {
            assembler.jump(frame.record);
            assembler.bind(untracedTask);
            frame.rejectOtherComm(frame.untraced);
            frame.addTarget(thread + Integer.BYTES);
        }
        assembler.bind(frame.record);
        if (leavesPhases) {
            frame.leavePhases(thread);
        }
        if (filter.needsTargets() && follow.hasComm() && !follow.children()) {
            forgetOtherComm(frame, thread);
        }
        frame.sample(RecordType.EXEC, thread);
        assembler.load(Width.DOUBLE_WORD, R1, R6, Long.BYTES);
        assembler.store(Width.WORD, R7, TaskLifecycleLayout.FIRST_OFFSET, R1);
        assembler.call(Helper.GET_CURRENT_UID_GID);
        assembler.store(Width.WORD, R7, TaskLifecycleLayout.SECOND_OFFSET, R0);
        frame.fragments.submit();
        return frame.end();
    }

    /** A process that is traced by its name stops being traced when it takes another; its exec is recorded. */
    private static void forgetOtherComm(Frame frame, int thread) {
        Label forget = frame.assembler.newLabel();
        Label keep = frame.assembler.newLabel();
        frame.rejectOtherComm(forget);
        frame.assembler.jump(keep);
        frame.assembler.bind(forget);
        frame.fragments.delete(MapNames.TARGETS, thread + Integer.BYTES);
        frame.assembler.bind(keep);
    }

    /**
     * sched_process_exit(task_struct *task[, bool group_dead]): the task runs. Its process stays in the set, for its last
     * context switch is still to come; the reader of the sample removes it.
     */
    public List<Instruction> exitProgram() {
        Frame frame = new Frame();
        Assembler assembler = frame.assembler;
        Label more = assembler.newLabel();
        int signalSlot = assembler.stackSlot(Long.BYTES);
        int codeSlot = assembler.stackSlot(Long.BYTES);
        assembler.mov(R6, R1);
        int thread = frame.fragments.currentThread();
        frame.fragments.rejectUntracedThread(thread, frame.untraced);
        frame.tasks.keepEndedIds(thread);
        if (leavesPhases) {
            frame.leavePhases(thread);
        }
        assembler.load(Width.DOUBLE_WORD, R9, R6, 0);
        frame.tasks.read(R10, codeSlot, Integer.BYTES, R9, offsets.exitCode());
        // How many threads live on: do_exit() counts this one off before the tracepoint (kernel/exit.c).
        frame.tasks.read(R10, signalSlot, Long.BYTES, R9, offsets.signal());
        assembler.load(Width.DOUBLE_WORD, R9, R10, signalSlot);
        assembler.storeImmediate(Width.WORD, R10, codeSlot + Integer.BYTES, 0);
        frame.tasks.read(R10, signalSlot, Integer.BYTES, R9, offsets.signalLive());
        assembler.load(Width.WORD, R1, R10, signalSlot);
        assembler.jumpIf(Condition.NOT_EQUAL, R1, 0, more);
        assembler.storeImmediate(Width.WORD, R10, codeSlot + Integer.BYTES, 1);
        assembler.bind(more);
        frame.tasks.currentComm(R10, frame.commSlot);
        frame.sample(RecordType.EXIT, thread);
        frame.copy(codeSlot, TaskLifecycleLayout.FIRST_OFFSET);
        frame.fragments.submit();
        return frame.end();
    }

    /** task_rename(task_struct *task, const char *comm): before the task has the name; anyone may be running. */
    public List<Instruction> renameProgram() {
        Frame frame = new Frame();
        Assembler assembler = frame.assembler;
        Register task = R9;
        assembler.load(Width.DOUBLE_WORD, R6, R1, Long.BYTES).load(Width.DOUBLE_WORD, task, R1, 0);
        frame.tasks.ids(frame.idsSlot, task);
        frame.fragments.rejectUntracedProcess(frame.idsSlot + Integer.BYTES, frame.untraced);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, frame.commSlot, 0);
        assembler.storeImmediate(Width.DOUBLE_WORD, R10, frame.commSlot + Long.BYTES, 0);
        assembler
                .mov(R1, R10)
                .add(R1, frame.commSlot)
                .mov(R2, FollowRule.COMM_SIZE_BYTES)
                .mov(R3, R6);
        assembler.call(Helper.PROBE_READ_KERNEL_STR);
        frame.sample(RecordType.RENAME, frame.idsSlot);
        frame.fragments.submit();
        return frame.end();
    }
}
