package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R0;
import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Register;
import dev.probestream.bpf.asm.Width;
import dev.probestream.collector.internal.program.options.PidNamespace;
import dev.probestream.collector.internal.program.options.TaskOffsets;
import java.util.Optional;

/**
 * Emits the code that writes the ids of a thread to the stack as 8 bytes: tid, tgid. In the initial pid namespace these
 * are the kernel's own, at no further cost. In another one they are looked up (src/main/bpf/thread_ids.bpf.c), and threads that
 * it does not contain get the kernel's ids plus {@link PidNamespace#OUTSIDE}; the idle thread stays 0.
 *
 * <p>All of this may lose R0 to R5.
 */
final class ThreadIds {
    private static final int CALLED_STACK_BYTES = 32;

    private static final int LOOK_UP_STACK_BYTES = 96;

    private final Assembler assembler;
    private final Optional<PidNamespace> namespace;

    ThreadIds(Assembler assembler, Optional<PidNamespace> namespace) {
        this.assembler = assembler;
        this.namespace = namespace;
    }

    /** Of the running thread; they are in R0, too. */
    void ofCurrent(int stackOffset) {
        if (namespace.isEmpty()) {
            assembler.call(Helper.GET_CURRENT_PID_TGID);
            assembler.store(Width.DOUBLE_WORD, R10, stackOffset, R0);
            return;
        }
        PidNamespace ids = namespace.get();
        assembler.loadImmediate64(R2, ids.device()).loadImmediate64(R3, ids.inode());
        if (ids.containsOthers()) {
            call("read_ids", LOOK_UP_STACK_BYTES, stackOffset);
        } else {
            call("read_own_ids", CALLED_STACK_BYTES, stackOffset);
        }
        assembler.load(Width.DOUBLE_WORD, R0, R10, stackOffset);
    }

    /** Of the task whose address a register has, which is none of those that are lost. */
    void ofTask(int stackOffset, Register task, TaskOffsets offsets) {
        kernelIds(stackOffset, task, offsets);
        namespace.ifPresent(ids -> {
            if (ids.containsOthers()) {
                assembler.mov(R2, task).loadImmediate64(R3, ids.inode());
                call("translate_ids", LOOK_UP_STACK_BYTES, stackOffset);
            } else {
                call("mark_ids", CALLED_STACK_BYTES, stackOffset);
            }
        });
    }

    /** Those of the initial namespace. Not in C: this is done at each context switch of the machine, where a call would show. */
    private void kernelIds(int stackOffset, Register task, TaskOffsets offsets) {
        if (offsets.tgid() == offsets.pid() + Integer.BYTES) {
            readKernel(stackOffset, Long.BYTES, task, offsets.pid());
        } else {
            readKernel(stackOffset, Integer.BYTES, task, offsets.pid());
            readKernel(stackOffset + Integer.BYTES, Integer.BYTES, task, offsets.tgid());
        }
    }

    /** Zeros where the kernel's memory cannot be read. */
    private void readKernel(int stackOffset, int sizeBytes, Register address, int addressOffset) {
        assembler.mov(R1, R10).add(R1, stackOffset).mov(R2, sizeBytes);
        assembler.mov(R3, address).add(R3, addressOffset);
        assembler.call(Helper.PROBE_READ_KERNEL);
    }

    /** Keeps the ids of the running thread, which ends: the kernel takes them away before its last context switch. */
    void keepEnded(int threadSlot) {
        if (namespace.isPresent()) {
            call("keep_ended_ids", CALLED_STACK_BYTES, threadSlot);
        }
    }

    /** Writes the ids of the running thread over those of {@code threadSlot} if {@link #keepEnded} kept them. */
    void ofEnded(int threadSlot) {
        if (namespace.isPresent()) {
            call("find_ended_ids", CALLED_STACK_BYTES, threadSlot);
        }
    }

    private void call(String function, int itsStackBytes, int idsSlot) {
        assembler.mov(R1, R10).add(R1, idsSlot).callFunction(function, itsStackBytes);
    }
}
