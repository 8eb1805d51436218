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

    /**
     * Of the task that a register points to, which is none of those that are lost.
     *
     * @param kernelIds writes those of the initial namespace
     */
    void ofTask(int stackOffset, Register task, Runnable kernelIds) {
        kernelIds.run();
        namespace.ifPresent(ids -> {
            if (ids.containsOthers()) {
                assembler.mov(R2, task).loadImmediate64(R3, ids.inode());
                call("translate_ids", LOOK_UP_STACK_BYTES, stackOffset);
            } else {
                call("mark_ids", CALLED_STACK_BYTES, stackOffset);
            }
        });
    }

    void keepEnded(int threadSlot) {
        if (namespace.isPresent()) {
            call("keep_ended_ids", CALLED_STACK_BYTES, threadSlot);
        }
    }

    void ofEnded(int threadSlot) {
        if (namespace.isPresent()) {
            call("find_ended_ids", CALLED_STACK_BYTES, threadSlot);
        }
    }

    private void call(String function, int itsStackBytes, int idsSlot) {
        assembler.mov(R1, R10).add(R1, idsSlot).callFunction(function, itsStackBytes);
    }
}
