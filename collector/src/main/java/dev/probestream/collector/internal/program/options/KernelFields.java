package dev.probestream.collector.internal.program.options;

import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.BtfFormatException;
import dev.probestream.bpf.btf.FieldPath;
import dev.probestream.bpf.btf.UnknownFieldException;
import java.util.List;

/** What functions in C read of the kernel's structures, but for what they do without. */
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
            "pid_namespace.ns.inum");

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
            FieldPath.resolve(types, path);
        }
    }
}
