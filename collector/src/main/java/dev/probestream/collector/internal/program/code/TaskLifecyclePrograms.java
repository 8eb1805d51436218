package dev.probestream.collector.internal.program.code;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R6;
import static dev.probestream.bpf.asm.Register.R9;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.options.FollowRule;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.options.TaskOffsets;
import dev.probestream.collector.internal.program.snippet.Fragments;
import dev.probestream.collector.internal.program.snippet.WindowCode;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * Writes the programs that record the task lifecycle (raw tracepoints sched_process_fork, sched_process_exec,
 * sched_process_exit, task_rename) and keep {@link MapNames#TARGETS} up to date by the {@link FollowRule}: which threads are
 * recorded, and by which rule others become so. The rest is in C (src/main/bpf/task_lifecycle.bpf.c). A child is in the map
 * before it runs its first instruction.
 */
public final class TaskLifecyclePrograms {
    /** Of each function. */
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
        final Label unrecorded = assembler.newLabel();

        /** A register = the address of a place on the stack. */
        Frame address(Register register, int slot) {
            assembler.mov(register, R10).add(register, slot);
            return this;
        }

        void call(String function) {
            assembler.callFunction(function, CALLED_STACK_BYTES);
        }

        /** Puts the name that is followed on the stack. */
        int nameSlot() {
            int slot = assembler.stackSlot(FollowRule.COMM_SIZE_BYTES);
            ByteBuffer comm = ByteBuffer.wrap(follow.commBytes()).order(ByteOrder.LITTLE_ENDIAN);
            for (int i = 0; i < FollowRule.COMM_SIZE_BYTES; i += Long.BYTES) {
                assembler.loadImmediate64(R1, comm.getLong(i)).store(Width.DOUBLE_WORD, R10, slot + i, R1);
            }
            return slot;
        }

        /** Gives up the open spans of the running thread that end where the next begins: its stack is gone. */
        void leavePhases(int threadSlot) {
            if (leavesPhases) {
                Label none = assembler.newLabel();
                WindowCode.skipUnlessOpen(assembler, none);
                assembler.load(Width.WORD, R1, R10, threadSlot);
                call("leave_phases");
                assembler.bind(none);
            }
        }

        /** Ends with the function that sends the sample. */
        List<Instruction> record(String function) {
            call(function);
            assembler.bind(unrecorded);
            fragments.exit();
            return assembler.assemble();
        }
    }

    /** sched_process_fork(task_struct *parent, task_struct *child): the parent runs, the child not yet. */
    public List<Instruction> forkProgram() {
        Frame frame = new Frame();
        Assembler assembler = frame.assembler;
        int child = assembler.stackSlot(Long.BYTES);
        assembler.load(Width.DOUBLE_WORD, R9, R1, Long.BYTES);
        int thread = frame.fragments.currentThread();
        frame.fragments.rejectUntracedThread(thread, frame.unrecorded);
        frame.fragments.taskIds(child, R9, offsets);
        followChild(frame, thread, child);
        frame.address(R1, thread).address(R2, child);
        assembler.mov(R3, R9);
        return frame.record("record_fork");
    }

    /**
     * A new process is traced only if a rule follows it. The fork is recorded without a rule, too: it reports a child that is
     * not seen.
     */
    private void followChild(Frame frame, int thread, int child) {
        boolean staysInCgroup = filter.mode() == TargetFilter.Mode.CGROUP;
        if (!filter.needsTargets() || !(follow.children() || follow.hasComm() || staysInCgroup)) {
            return;
        }
        if (follow.children() || staysInCgroup) {
            frame.assembler.mov(R4, 0);
        } else {
            frame.address(R4, frame.nameSlot());
        }
        frame.address(R1, thread).address(R2, child);
        frame.assembler.mov(R3, R9);
        frame.call("follow_child");
        frame.assembler.jumpIf(Condition.EQUAL, R0, 0, frame.unrecorded);
    }

    /** sched_process_exec(task_struct *task, pid_t old_pid, linux_binprm *): the task runs, under its new name. */
    public List<Instruction> execProgram() {
        Frame frame = new Frame();
        Assembler assembler = frame.assembler;
        Label untracedTask = assembler.newLabel();
        Label record = assembler.newLabel();
        assembler.mov(R6, R1);
        boolean canJoin = filter.needsTargets() && follow.hasComm();
        int name = canJoin ? frame.nameSlot() : 0;
        int thread = frame.fragments.currentThread();
        frame.fragments.rejectUntracedThread(thread, canJoin ? untracedTask : frame.unrecorded);
        if (filter.mode() == TargetFilter.Mode.CGROUP) {
            frame.address(R1, thread).call("follow_process");
        }
        if (canJoin) {
            assembler.jump(record);
            assembler.bind(untracedTask);
            frame.address(R1, thread).address(R2, name).call("follow_name");
            assembler.jumpIf(Condition.EQUAL, R0, 0, frame.unrecorded);
        }
        assembler.bind(record);
        frame.leavePhases(thread);
        if (canJoin && !follow.children()) {
            frame.address(R1, thread).address(R2, name).call("leave_name");
        }
        assembler.load(Width.WORD, R2, R6, Long.BYTES);
        return frame.address(R1, thread).record("record_exec");
    }

    /** sched_process_exit(task_struct *task[, bool group_dead]): the task runs. */
    public List<Instruction> exitProgram() {
        Frame frame = new Frame();
        Assembler assembler = frame.assembler;
        assembler.load(Width.DOUBLE_WORD, R9, R1, 0);
        int thread = frame.fragments.currentThread();
        frame.fragments.rejectUntracedThread(thread, frame.unrecorded);
        frame.fragments.keepEndedIds(thread);
        frame.leavePhases(thread);
        assembler.mov(R2, R9);
        return frame.address(R1, thread).record("record_exit");
    }

    /** task_rename(task_struct *task, const char *comm): before the task has the name; anyone may be running. */
    public List<Instruction> renameProgram() {
        Frame frame = new Frame();
        Assembler assembler = frame.assembler;
        int renamed = assembler.stackSlot(Long.BYTES);
        assembler.load(Width.DOUBLE_WORD, R6, R1, Long.BYTES).load(Width.DOUBLE_WORD, R9, R1, 0);
        frame.fragments.taskIds(renamed, R9, offsets);
        frame.fragments.rejectUntracedProcess(renamed + Integer.BYTES, frame.unrecorded);
        assembler.mov(R2, R6);
        return frame.address(R1, renamed).record("record_rename");
    }
}
