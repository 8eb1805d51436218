package dev.probestream.collector.internal.program.options;

import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.BtfFormatException;
import dev.probestream.bpf.btf.FieldPath;
import dev.probestream.bpf.btf.UnknownFieldException;
import java.util.List;

/**
 * What functions in C read of the kernel's structures, but for what they do without. Names of one field in newer and older kernels
 * are divided by {@code |}.
 */
public enum KernelFields {
    /** By src/main/bpf/sockets.bpf.c. */
    SOCKETS(
            "task_struct.files",
            "files_struct.fdt",
            "fdtable.max_fds",
            "fdtable.fd",
            "file.f_inode",
            "inode.i_mode",
            "file.private_data",
            "socket.sk",
            "sock.__sk_common.skc_family",
            "sock.__sk_common.skc_dport",
            "sock.__sk_common.skc_num",
            "sock.__sk_common.skc_daddr",
            "sock.__sk_common.skc_rcv_saddr"),
    /** By src/main/bpf/thread_ids.bpf.c. */
    IDS(
            "task_struct.thread_pid",
            "task_struct.signal",
            "signal_struct.pids",
            "pid.level",
            "pid.numbers",
            "upid.nr",
            "upid.ns",
            "pid_namespace.ns.inum"),
    /** By src/main/bpf/sched.h, sched_events.bpf.c, sched_sums.bpf.c, task_lifecycle.bpf.c and signals.bpf.c. */
    TASKS(
            "task_struct.__state|task_struct.state",
            "task_struct.comm",
            "task_struct.prio",
            "task_struct.exit_state",
            "task_struct.exit_code",
            "task_struct.signal",
            "signal_struct.live.counter",
            "kernel_siginfo.si_code");

    @SuppressWarnings("ImmutableEnumChecker") // an immutable list
    private final List<String> paths;

    KernelFields(String... paths) {
        this.paths = List.of(paths);
    }

    /**
     * Looks for them in a kernel's types.
     *
     * @throws UnknownFieldException when the kernel has no such field: it is older or newer than we know
     */
    public void requireIn(BtfFile types) throws BtfFormatException, UnknownFieldException {
        for (String path : paths) {
            requireOneOf(path.split("\\|"), types);
        }
    }

    private static void requireOneOf(String[] names, BtfFile types) throws BtfFormatException, UnknownFieldException {
        for (int i = 0; i < names.length - 1; i++) {
            try {
                FieldPath.resolve(types, names[i]);
                return;
            } catch (UnknownFieldException e) {
                // The next name.
            }
        }
        FieldPath.resolve(types, names[names.length - 1]);
    }
}
