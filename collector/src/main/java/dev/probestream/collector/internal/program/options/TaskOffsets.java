package dev.probestream.collector.internal.program.options;

import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.BtfFormatException;
import dev.probestream.bpf.btf.FieldPath;
import dev.probestream.bpf.btf.TracepointSignature;
import dev.probestream.bpf.btf.UnknownFieldException;
import java.util.OptionalInt;

/**
 * Where fields of the running kernel's {@code struct task_struct} lie, in bytes; from BTF. They are those that assembled programs
 * read; functions in C find theirs ({@link KernelFields#TASKS}).
 *
 * @param pid what user space calls the tid
 * @param tgid what user space calls the pid
 * @param selfExecId u64, how many programs the process executed; absent where the kernel has no such field
 * @param switchPassesState whether sched_switch passes the state of the thread that leaves (5.18 and later)
 */
public record TaskOffsets(int pid, int tgid, OptionalInt selfExecId, boolean switchPassesState) {
    private static final int SWITCH_ARGUMENTS_WITH_STATE = 4;

    /**
     * Reads the offsets out of a kernel's BTF.
     *
     * @throws UnknownFieldException when the kernel has no such field, or none that functions in C read of tasks: it is older or
     *     newer than we know
     */
    public static TaskOffsets of(BtfFile btf) throws BtfFormatException, UnknownFieldException {
        KernelFields.TASKS.requireIn(btf);
        return new TaskOffsets(
                offset(btf, "task_struct.pid"),
                offset(btf, "task_struct.tgid"),
                selfExecId(btf),
                TracepointSignature.resolve(btf, "sched_switch").argumentCount() >= SWITCH_ARGUMENTS_WITH_STATE);
    }

    private static int offset(BtfFile btf, String path) throws BtfFormatException, UnknownFieldException {
        return Math.toIntExact(FieldPath.resolve(btf, path).offsetBytes());
    }

    /** Of 32 bits before 5.7. */
    private static OptionalInt selfExecId(BtfFile btf) throws BtfFormatException {
        try {
            FieldPath field = FieldPath.resolve(btf, "task_struct.self_exec_id");
            return field.sizeBytes() == Long.BYTES
                    ? OptionalInt.of(Math.toIntExact(field.offsetBytes()))
                    : OptionalInt.empty();
        } catch (UnknownFieldException e) {
            return OptionalInt.empty();
        }
    }
}
