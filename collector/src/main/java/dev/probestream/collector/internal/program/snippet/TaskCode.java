package dev.probestream.collector.internal.program.snippet;

import static dev.probestream.bpf.asm.Register.R1;
import static dev.probestream.bpf.asm.Register.R10;
import static dev.probestream.bpf.asm.Register.R2;
import static dev.probestream.bpf.asm.Register.R3;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Helper;
import dev.probestream.bpf.asm.Register;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.options.TaskOffsets;

/** Emits the code that reads fields of the kernel's task_struct. */
public final class TaskCode {
    private final Assembler assembler;
    private final TaskOffsets offsets;
    private final ThreadIds ids;

    /** @param filter its namespace is that of the ids */
    public TaskCode(Assembler assembler, TargetFilter filter, TaskOffsets offsets) {
        this.assembler = assembler;
        this.offsets = offsets;
        this.ids = new ThreadIds(assembler, filter.namespace());
    }

    /** Copies kernel memory at {@code address + addressOffset}; zeros where that cannot be read. */
    private void read(Register base, int offset, int sizeBytes, Register address, int addressOffset) {
        assembler.mov(R1, base).add(R1, offset).mov(R2, sizeBytes);
        assembler.mov(R3, address).add(R3, addressOffset);
        assembler.call(Helper.PROBE_READ_KERNEL);
    }

    /** Writes the task's ids to the stack as 8 bytes: tid, tgid. May lose R0 to R5. */
    public void ids(int stackOffset, Register task) {
        ids.ofTask(stackOffset, task, () -> kernelIds(stackOffset, task));
    }

    /** Those of the initial pid namespace. */
    private void kernelIds(int stackOffset, Register task) {
        if (offsets.tgid() == offsets.pid() + Integer.BYTES) {
            read(R10, stackOffset, Long.BYTES, task, offsets.pid());
        } else {
            read(R10, stackOffset, Integer.BYTES, task, offsets.pid());
            read(R10, stackOffset + Integer.BYTES, Integer.BYTES, task, offsets.tgid());
        }
    }

    /** Keeps the ids of the running thread, which ends: the kernel takes them away before its last context switch. */
    public void keepEndedIds(int threadSlot) {
        ids.keepEnded(threadSlot);
    }

    /** Writes the ids of the running thread over those of {@code threadSlot} if {@link #keepEndedIds} kept them. */
    public void endedIds(int threadSlot) {
        ids.ofEnded(threadSlot);
    }
}
