package dev.probestream.collector.internal.program.options;

import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.BtfFormatException;
import dev.probestream.bpf.btf.FieldPath;
import dev.probestream.bpf.btf.TracepointSignature;
import dev.probestream.bpf.btf.UnknownFieldException;
import java.util.OptionalInt;

/**
 * Where the fields of the running kernel's {@code struct task_struct} lie, in bytes; from BTF.
 *
 * @param pid what user space calls the tid
 * @param tgid what user space calls the pid
 * @param comm the thread's name, 16 bytes
 * @param prio s32, 120 = nice 0
 * @param state {@code __state}, {@code state} before 5.14
 * @param stateSizeBytes 4, before 5.14 8
 * @param exitState s32
 * @param cpu u32, absent where the kernel has it elsewhere
 * @param exitCode s32, as wait(2) gives it
 * @param signal pointer to {@code struct signal_struct}
 * @param signalLive in {@code struct signal_struct}: s32, the threads that have not ended yet
 * @param selfExecId u64, how many programs the process executed; absent where the kernel has no such field
 * @param switchHasPreviousState whether sched_switch passes the state as its fourth argument (5.18 and later)
 */
public record TaskOffsets(
        int pid,
        int tgid,
        int comm,
        int prio,
        int state,
        int stateSizeBytes,
        int exitState,
        OptionalInt cpu,
        int exitCode,
        int signal,
        int signalLive,
        OptionalInt selfExecId,
        boolean switchHasPreviousState) {

    private static final int SWITCH_ARGUMENTS_WITH_STATE = 4;

    /**
     * Reads the offsets out of a kernel's BTF.
     *
     * @throws UnknownFieldException when the kernel has no such field: it is older or newer than we know
     */
    public static TaskOffsets of(BtfFile btf) throws BtfFormatException, UnknownFieldException {
        FieldPath state = field(btf, "task_struct.__state", "task_struct.state");
        return new TaskOffsets(
                offset(btf, "task_struct.pid"),
                offset(btf, "task_struct.tgid"),
                offset(btf, "task_struct.comm"),
                offset(btf, "task_struct.prio"),
                Math.toIntExact(state.offsetBytes()),
                Math.toIntExact(state.sizeBytes()),
                offset(btf, "task_struct.exit_state"),
                cpu(btf),
                offset(btf, "task_struct.exit_code"),
                offset(btf, "task_struct.signal"),
                offset(btf, "signal_struct.live.counter"),
                selfExecId(btf),
                TracepointSignature.resolve(btf, "sched_switch").argumentCount() >= SWITCH_ARGUMENTS_WITH_STATE);
    }

    private static int offset(BtfFile btf, String path) throws BtfFormatException, UnknownFieldException {
        return Math.toIntExact(FieldPath.resolve(btf, path).offsetBytes());
    }

    /** The field under the one name or, in older kernels, the other. */
    private static FieldPath field(BtfFile btf, String path, String olderPath)
            throws BtfFormatException, UnknownFieldException {
        try {
            return FieldPath.resolve(btf, path);
        } catch (UnknownFieldException e) {
            return FieldPath.resolve(btf, olderPath);
        }
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

    private static OptionalInt cpu(BtfFile btf) throws BtfFormatException {
        try {
            return OptionalInt.of(Math.toIntExact(
                    field(btf, "task_struct.thread_info.cpu", "task_struct.cpu").offsetBytes()));
        } catch (UnknownFieldException e) {
            return OptionalInt.empty();
        }
    }
}
