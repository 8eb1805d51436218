package dev.probestream.collector.internal.program.options;

import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.BtfFormatException;
import dev.probestream.bpf.btf.FieldPath;
import dev.probestream.bpf.btf.UnknownFieldException;
import java.util.Optional;

/**
 * Where the running kernel keeps what leads from a task and the number of a file descriptor to the addresses of a
 * socket, in bytes; from BTF. Each is the offset in the structure before the point.
 *
 * @param taskFiles {@code task_struct.files}, pointer to {@code struct files_struct}
 * @param filesTable {@code files_struct.fdt}, pointer to {@code struct fdtable}
 * @param tableSize {@code fdtable.max_fds}, u32
 * @param tableFiles {@code fdtable.fd}, pointer to pointers to {@code struct file}
 * @param fileInode {@code file.f_inode}, pointer to {@code struct inode}
 * @param inodeMode {@code inode.i_mode}, u16
 * @param filePrivate {@code file.private_data}, of a socket's file a pointer to {@code struct socket}
 * @param socketSock {@code socket.sk}, pointer to {@code struct sock}
 * @param family {@code sock.__sk_common.skc_family}, u16
 * @param peerPort {@code skc_dport}, u16, big-endian
 * @param ownPort {@code skc_num}, u16, in the machine's order
 * @param inet the addresses of IPv4
 * @param inet6 those of IPv6, if the kernel has it
 * @param unix what is known of AF_UNIX, unless that is in a module
 */
public record SocketOffsets(
        int taskFiles,
        int filesTable,
        int tableSize,
        int tableFiles,
        int fileInode,
        int inodeMode,
        int filePrivate,
        int socketSock,
        int family,
        int peerPort,
        int ownPort,
        Ends inet,
        Optional<Ends> inet6,
        Optional<Unix> unix) {
    /**
     * The two addresses in {@code struct sock}.
     *
     * @param peer {@code skc_daddr} or {@code skc_v6_daddr}
     * @param own {@code skc_rcv_saddr} or {@code skc_v6_rcv_saddr}
     */
    public record Ends(int peer, int own) {}

    /**
     * Of {@code struct unix_sock}, which begins with its {@code struct sock}.
     *
     * @param address {@code unix_sock.addr}, pointer to {@code struct unix_address}, null without a name
     * @param peer {@code unix_sock.peer}, pointer to the other end
     * @param length {@code unix_address.len}, s32: bytes of the {@code sockaddr_un}, its family among them
     * @param name {@code unix_address.name}, a {@code struct sockaddr_un}
     */
    public record Unix(int address, int peer, int length, int name) {}

    /**
     * Reads the offsets out of a kernel's BTF.
     *
     * @throws UnknownFieldException when the kernel has no such field: it is older or newer than we know
     */
    public static SocketOffsets of(BtfFile btf) throws BtfFormatException, UnknownFieldException {
        return new SocketOffsets(
                offset(btf, "task_struct.files"),
                offset(btf, "files_struct.fdt"),
                offset(btf, "fdtable.max_fds"),
                offset(btf, "fdtable.fd"),
                offset(btf, "file.f_inode"),
                offset(btf, "inode.i_mode"),
                offset(btf, "file.private_data"),
                offset(btf, "socket.sk"),
                offset(btf, "sock.__sk_common.skc_family"),
                offset(btf, "sock.__sk_common.skc_dport"),
                offset(btf, "sock.__sk_common.skc_num"),
                new Ends(offset(btf, "sock.__sk_common.skc_daddr"), offset(btf, "sock.__sk_common.skc_rcv_saddr")),
                inet6(btf),
                unix(btf));
    }

    private static Optional<Ends> inet6(BtfFile btf) throws BtfFormatException {
        try {
            return Optional.of(new Ends(
                    offset(btf, "sock.__sk_common.skc_v6_daddr"), offset(btf, "sock.__sk_common.skc_v6_rcv_saddr")));
        } catch (UnknownFieldException e) {
            return Optional.empty();
        }
    }

    private static Optional<Unix> unix(BtfFile btf) throws BtfFormatException {
        try {
            return Optional.of(new Unix(
                    offset(btf, "unix_sock.addr"),
                    offset(btf, "unix_sock.peer"),
                    offset(btf, "unix_address.len"),
                    offset(btf, "unix_address.name")));
        } catch (UnknownFieldException e) {
            return Optional.empty();
        }
    }

    private static int offset(BtfFile btf, String path) throws BtfFormatException, UnknownFieldException {
        return Math.toIntExact(FieldPath.resolve(btf, path).offsetBytes());
    }
}
