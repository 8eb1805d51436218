package dev.probestream.bpf.machine;

import dev.probestream.bpf.internal.FileDescriptor;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.internal.Syscalls;
import dev.probestream.bpf.internal.SystemCall;
import dev.probestream.bpf.sys.SyscallException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The TCP sockets of one network namespace, as the kernel lists them through netlink (sock_diag(7)). A request:
 *
 * <pre>
 *   0  u32 length        struct nlmsghdr (linux/netlink.h)
 *   4  u16 type          SOCK_DIAG_BY_FAMILY
 *   6  u16 flags         NLM_F_REQUEST | NLM_F_DUMP
 *  16  u8  family        struct inet_diag_req_v2 (linux/inet_diag.h)
 *  17  u8  protocol      IPPROTO_TCP
 *  18  u8  extensions    a bit for each attribute: INET_DIAG_SKMEMINFO
 *  20  u32 states        a bit for each state
 *  24  48 bytes          struct inet_diag_sockid, all zero: any socket
 * </pre>
 *
 * An answer is a sequence of messages, each with a struct nlmsghdr of 16 bytes and, at these offsets behind it:
 *
 * <pre>
 *   0  u8  family        struct inet_diag_msg
 *   1  u8  state
 *   4  be16 own port, be16 other port, 16 bytes own address, 16 bytes other address
 *  56  u32 receive queue (of a listening socket: connections that wait to be accepted)
 *  60  u32 send queue    (of a listening socket: how many may wait)
 *  68  u32 inode
 *  72  attributes        u16 length, u16 type, value; INET_DIAG_SKMEMINFO: nine u32, the last counts drops
 * </pre>
 *
 * Not safe for several threads.
 */
public final class TcpSockets implements AutoCloseable {
    /** The state of a listening socket: TCP_LISTEN of net/tcp_states.h. */
    public static final int LISTEN = 10;

    // linux/netlink.h, linux/sock_diag.h, linux/inet_diag.h, linux/in.h, linux/socket.h, linux/sched.h
    private static final int AF_INET = 2;
    private static final int AF_INET6 = 10;
    private static final int AF_NETLINK = 16;
    private static final int SOCK_RAW_CLOEXEC = 3 | 0x80000;
    private static final int NETLINK_SOCK_DIAG = 4;
    private static final int SOCK_DIAG_BY_FAMILY = 20;
    private static final int NLM_F_REQUEST_DUMP = 0x301;
    private static final int NLMSG_ERROR = 2;
    private static final int NLMSG_DONE = 3;
    private static final int IPPROTO_TCP = 6;
    private static final int INET_DIAG_SKMEMINFO = 7;
    private static final int CLONE_NEWNET = 0x40000000;

    private static final int REQUEST_BYTES = 72;
    private static final int HEADER_BYTES = 16;
    private static final int MESSAGE_BYTES = 72;
    private static final int DROPS_OFFSET = 8 * Integer.BYTES;
    private static final int RECEIVE_BYTES = 1 << 16;
    private static final int IPV4_BYTES = 4;
    private static final int IPV6_BYTES = 16;

    private final FileDescriptor netlink;
    private final NativeMemory request = NativeMemory.allocate(REQUEST_BYTES);
    private final NativeMemory received = NativeMemory.allocate(RECEIVE_BYTES);
    private final ByteBuffer answer = received.buffer();

    private TcpSockets(FileDescriptor netlink) {
        this.netlink = netlink;
    }

    /**
     * Takes the sockets of a listing, one at a time.
     */
    public interface Handler {
        /**
         * Takes one socket.
         *
         * @param state of net/tcp_states.h: 1 = established, {@link #LISTEN} ...
         * @param inode as in the link {@code socket:[INODE]} of a descriptor
         * @param receiveQueue bytes that wait to be read; of a listening socket the connections that wait to be accepted
         * @param sendQueue bytes that are not acknowledged; of a listening socket how many connections may wait
         * @param drops of a listening socket the connections it has turned away since it listens
         * @param address its own address: 4 or 16 bytes, in the network's order; borrowed for the call
         * @param port its own port
         */
        void socket(int state, long inode, long receiveQueue, long sendQueue, long drops, ByteBuffer address, int port);
    }

    /**
     * Asks for the sockets of the network namespace of a process. The calling thread is in that namespace for the moment
     * of the call.
     *
     * @param pid of the process, in the pid namespace of this one
     * @return the sockets; the caller closes it
     * @throws IOException if the process has ended or its namespace may not be looked at
     * @throws SyscallException if the namespace may not be entered (CAP_SYS_ADMIN)
     */
    public static TcpSockets open(int pid) throws IOException {
        Path own = Path.of("/proc/thread-self/ns/net");
        Path theirs = Path.of("/proc/" + pid + "/ns/net");
        if (Files.readSymbolicLink(own).equals(Files.readSymbolicLink(theirs))) {
            return new TcpSockets(socket());
        }
        try (FileDescriptor back = FileDescriptor.open(own);
                FileDescriptor there = FileDescriptor.open(theirs)) {
            enter(there, "enter the network namespace of process " + pid);
            try {
                return new TcpSockets(socket());
            } finally {
                enter(back, "return to the own network namespace");
            }
        }
    }

    private static void enter(FileDescriptor namespace, String attempt) {
        Syscalls.check(
                Syscalls.call(SystemCall.SETNS, namespace.number(), CLONE_NEWNET), attempt, "needs CAP_SYS_ADMIN");
    }

    private static FileDescriptor socket() {
        return FileDescriptor.of(
                Syscalls.call(SystemCall.SOCKET, AF_NETLINK, SOCK_RAW_CLOEXEC, NETLINK_SOCK_DIAG),
                "ask the kernel for sockets (netlink, sock_diag)",
                "");
    }

    /**
     * Lists the sockets of IPv4 and IPv6 that are in one of these states.
     *
     * @param states a bit for each state of net/tcp_states.h
     * @param handler takes them
     * @throws SyscallException if the kernel refuses, as one without CONFIG_INET_DIAG does (ENOENT)
     */
    public void list(int states, Handler handler) {
        list(AF_INET, states, handler);
        list(AF_INET6, states, handler);
    }

    private void list(int family, int states, Handler handler) {
        request.putInt(0, REQUEST_BYTES)
                .putInt(4, SOCK_DIAG_BY_FAMILY | NLM_F_REQUEST_DUMP << 16)
                .putByte(HEADER_BYTES, family)
                .putByte(HEADER_BYTES + 1, IPPROTO_TCP)
                .putByte(HEADER_BYTES + 2, (states & 1 << LISTEN) == 0 ? 0 : 1 << (INET_DIAG_SKMEMINFO - 1))
                .putInt(HEADER_BYTES + 4, states);
        String attempt = "list the TCP sockets (sock_diag)";
        Syscalls.check(
                request.lend(
                        address -> Syscalls.call(SystemCall.SENDTO, netlink.number(), address, REQUEST_BYTES, 0, 0, 0)),
                attempt);
        boolean isMore = true;
        while (isMore) {
            int length = Syscalls.check(
                    received.lend(address ->
                            Syscalls.call(SystemCall.RECVFROM, netlink.number(), address, RECEIVE_BYTES, 0, 0, 0)),
                    attempt);
            isMore = messages(length, handler, attempt);
        }
    }

    /** Whether more follow. */
    private boolean messages(int length, Handler handler, String attempt) {
        int at = 0;
        while (at + HEADER_BYTES <= length) {
            int messageBytes = answer.getInt(at);
            int type = Short.toUnsignedInt(answer.getShort(at + 4));
            if (type == NLMSG_DONE || messageBytes < HEADER_BYTES || at + messageBytes > length) {
                return false;
            }
            if (type == NLMSG_ERROR) {
                Syscalls.check(answer.getInt(at + HEADER_BYTES), attempt, "needs CONFIG_INET_DIAG");
                return false;
            }
            if (messageBytes >= HEADER_BYTES + MESSAGE_BYTES) {
                socket(at + HEADER_BYTES, at + messageBytes, handler);
            }
            at += messageBytes + 3 & ~3; // NLMSG_ALIGN
        }
        return length > 0;
    }

    private void socket(int at, int end, Handler handler) {
        boolean isIpv4 = answer.get(at) == AF_INET;
        ByteBuffer address = answer.slice(at + 8, isIpv4 ? IPV4_BYTES : IPV6_BYTES);
        handler.socket(
                answer.get(at + 1),
                Integer.toUnsignedLong(answer.getInt(at + 68)),
                Integer.toUnsignedLong(answer.getInt(at + 56)),
                Integer.toUnsignedLong(answer.getInt(at + 60)),
                drops(at + MESSAGE_BYTES, end),
                address,
                Byte.toUnsignedInt(answer.get(at + 4)) << 8 | Byte.toUnsignedInt(answer.get(at + 5)));
    }

    private long drops(int from, int end) {
        int at = from;
        while (at + 4 <= end) {
            int bytes = Short.toUnsignedInt(answer.getShort(at));
            if (bytes < 4) {
                return 0;
            }
            if (answer.getShort(at + 2) == INET_DIAG_SKMEMINFO && bytes >= 4 + DROPS_OFFSET + 4) {
                return Integer.toUnsignedLong(answer.getInt(at + 4 + DROPS_OFFSET));
            }
            at += bytes + 3 & ~3; // NLA_ALIGN
        }
        return 0;
    }

    @Override
    public void close() {
        netlink.close();
    }
}
