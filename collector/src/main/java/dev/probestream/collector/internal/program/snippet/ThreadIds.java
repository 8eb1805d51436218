package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;
import static dev.probestream.bpf.asm.Register.R4;
import static dev.probestream.bpf.asm.Register.R7;
import static dev.probestream.bpf.asm.Register.R8;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Condition;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Label;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.options.PidNamespace;
import java.util.Optional;

/**
 * Emits the code that writes the ids of a thread to the stack as 8 bytes: tid, tgid. In the initial pid namespace these
 * are the kernel's own, at no further cost. In another one, threads that it does not contain get the kernel's ids plus
 * {@link PidNamespace#OUTSIDE}; the idle thread stays 0.
 *
 * <p>In a namespace all of this may lose R0 to R5, R7 and R8.
 */
final class ThreadIds {
    /** MAX_PID_NS_LEVEL of linux/pid_namespace.h. */
    private static final int MAX_LEVEL = 32;

    private static final int ID_PAIR_BYTES = Long.BYTES;

    private final Assembler assembler;
    private final Optional<PidNamespace> namespace;

    ThreadIds(Assembler assembler, Optional<PidNamespace> namespace) {
        this.assembler = assembler;
        this.namespace = namespace;
    }

    /** Of the running thread; they are in R0, too. */
    void ofCurrent(int stackOffset) {
        if (namespace.isEmpty()) {
            kernelIdsOfCurrent(stackOffset);
            return;
        }
        PidNamespace ids = namespace.get();
        Label done = assembler.newLabel();
        Label outside = assembler.newLabel();
        // struct bpf_pidns_info has the order of our pair; it is for threads whose own namespace this is.
        assembler.loadImmediate64(R1, ids.device()).loadImmediate64(R2, ids.inode());
        assembler.mov(R3, R10).add(R3, stackOffset).mov(R4, ID_PAIR_BYTES);
        assembler.call(Helper.GET_NS_CURRENT_PID_TGID);
        assembler.jumpIf(Condition.EQUAL, R0, 0, done);
        ids.offsets().ifPresent(offsets -> {
            Runnable taskToR3 = () -> assembler.call(Helper.GET_CURRENT_TASK).mov(R3, R0);
            translate(ids, offsets, stackOffset, taskToR3, outside);
            assembler.jump(done);
        });
        assembler.bind(outside);
        kernelIdsOfCurrent(stackOffset);
        markOutside(stackOffset);
        assembler.bind(done);
        assembler.load(Width.DOUBLE_WORD, R0, R10, stackOffset);
    }

    /**
     * Of the task that a register points to, which is neither R7 nor R8.
     *
     * @param kernelIds writes those of the initial namespace
     */
    void ofTask(int stackOffset, Register task, Runnable kernelIds) {
        if (namespace.isEmpty()) {
            kernelIds.run();
            return;
        }
        Label done = assembler.newLabel();
        Label outside = assembler.newLabel();
        namespace.get().offsets().ifPresent(offsets -> {
            translate(namespace.get(), offsets, stackOffset, () -> assembler.mov(R3, task), outside);
            assembler.jump(done);
        });
        assembler.bind(outside);
        kernelIds.run();
        markOutside(stackOffset);
        assembler.bind(done);
    }

    void keepEnded(int threadSlot) {
        if (namespace.isEmpty()) {
            return;
        }
        int keySlot = assembler.stackSlot(Long.BYTES);
        kernelIdsOfCurrent(keySlot);
        assembler.loadMap(R1, MapNames.ENDED_THREADS);
        assembler.mov(R2, R10).add(R2, keySlot);
        assembler.mov(R3, R10).add(R3, threadSlot).mov(R4, 0);
        assembler.call(Helper.MAP_UPDATE_ELEM);
    }

    void ofEnded(int threadSlot) {
        if (namespace.isEmpty()) {
            return;
        }
        Label done = assembler.newLabel();
        int keySlot = assembler.stackSlot(Long.BYTES);
        assembler.load(Width.WORD, R1, R10, threadSlot);
        assembler.jumpIf(Condition.LESS, R1, PidNamespace.OUTSIDE, done);
        kernelIdsOfCurrent(keySlot);
        assembler.loadMap(R1, MapNames.ENDED_THREADS);
        assembler.mov(R2, R10).add(R2, keySlot);
        assembler.call(Helper.MAP_LOOKUP_ELEM);
        assembler.jumpIf(Condition.EQUAL, R0, 0, done);
        assembler.load(Width.DOUBLE_WORD, R1, R0, 0).store(Width.DOUBLE_WORD, R10, threadSlot, R1);
        assembler.bind(done);
    }

    private void kernelIdsOfCurrent(int stackOffset) {
        assembler.call(Helper.GET_CURRENT_PID_TGID);
        assembler.store(Width.DOUBLE_WORD, R10, stackOffset, R0);
    }

    private void markOutside(int stackOffset) {
        Label idle = assembler.newLabel();
        assembler.load(Width.DOUBLE_WORD, R0, R10, stackOffset);
        assembler.jumpIf(Condition.EQUAL, R0, 0, idle);
        assembler.loadImmediate64(R1, PidNamespace.OUTSIDE * (1L + (1L << Integer.SIZE)));
        assembler.or(R0, R1).store(Width.DOUBLE_WORD, R10, stackOffset, R0);
        assembler.bind(idle);
    }

    /**
     * Looks for the namespace among those that the task has an id in. As bpf_get_ns_current_pid_tgid, it takes the ids
     * from the {@code struct pid} of the thread and of the process.
     */
    private void translate(
            PidNamespace ids, PidNamespace.Offsets offsets, int stackOffset, Runnable taskToR3, Label outside) {
        int slot = assembler.stackSlot(Long.BYTES);
        int levelSlot = assembler.stackSlot(Long.BYTES);
        Label next = assembler.newLabel();
        Label found = assembler.newLabel();
        taskToR3.run();
        read(slot, offsets.threadPid(), Long.BYTES);
        assembler.load(Width.DOUBLE_WORD, R7, R10, slot).jumpIf(Condition.EQUAL, R7, 0, outside);
        assembler.mov(R3, R7);
        read(levelSlot, offsets.level(), Integer.BYTES);
        // Level 0 is the initial namespace.
        assembler.mov(R8, 1);
        assembler.bind(next);
        assembler.jumpIf(Condition.GREATER, R8, MAX_LEVEL, outside);
        assembler.load(Width.WORD, R1, R10, levelSlot).jumpIf(Condition.GREATER, R8, R1, outside);
        numberToR3(offsets, R7);
        read(slot, offsets.namespace(), Long.BYTES);
        assembler.load(Width.DOUBLE_WORD, R3, R10, slot);
        read(slot, offsets.inode(), Integer.BYTES);
        assembler.load(Width.WORD, R1, R10, slot).loadImmediate64(R2, ids.inode());
        assembler.jumpIf(Condition.EQUAL, R1, R2, found);
        assembler.add(R8, 1).jump(next);
        assembler.bind(found);
        numberToR3(offsets, R7);
        read(stackOffset, offsets.number(), Integer.BYTES);
        taskToR3.run();
        read(slot, offsets.signal(), Long.BYTES);
        assembler.load(Width.DOUBLE_WORD, R3, R10, slot);
        read(slot, offsets.processPid(), Long.BYTES);
        assembler.load(Width.DOUBLE_WORD, R7, R10, slot).jumpIf(Condition.EQUAL, R7, 0, outside);
        numberToR3(offsets, R7);
        read(stackOffset + Integer.BYTES, offsets.number(), Integer.BYTES);
    }

    /** R3 = the struct upid of level R8 in a struct pid. */
    private void numberToR3(PidNamespace.Offsets offsets, Register pid) {
        assembler.mov(R3, R8).mul(R3, offsets.numberSizeBytes()).add(R3, offsets.numbers());
        assembler.add(R3, pid);
    }

    /** Copies kernel memory at R3 + offset to the stack; zeros where it cannot be read. */
    private void read(int stackOffset, int addressOffset, int sizeBytes) {
        assembler.add(R3, addressOffset);
        assembler.mov(R1, R10).add(R1, stackOffset).mov(R2, sizeBytes);
        assembler.call(Helper.PROBE_READ_KERNEL);
    }
}
