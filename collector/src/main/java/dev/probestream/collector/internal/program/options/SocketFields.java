package dev.probestream.collector.internal.program.options;

import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.BtfFormatException;
import dev.probestream.bpf.btf.FieldPath;
import dev.probestream.bpf.btf.UnknownFieldException;
import java.util.List;

/** What src/main/bpf/sockets.bpf.c reads of the kernel's structures, but for what it does without. */
public final class SocketFields {
    private static final List<String> PATHS = List.of(
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
            "sock.__sk_common.skc_rcv_saddr");

    private SocketFields() {}

    /**
     * Looks for them in a kernel's types.
     *
     * @throws UnknownFieldException when the kernel has no such field: it is older or newer than we know
     */
    public static void requireIn(BtfFile types) throws BtfFormatException, UnknownFieldException {
        for (String path : PATHS) {
            FieldPath.resolve(types, path);
        }
    }
}
