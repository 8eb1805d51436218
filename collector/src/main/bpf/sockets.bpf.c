/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of sockets: those that a program hands around (read_sockaddr), and those of the two ends of a socket, by the file
 * descriptor that the running thread has for it (find_socket, read_socket_end):
 *
 *     task_struct -> files_struct -> fdtable -> file -> socket -> sock
 *
 * Of the kernel's structures there is here what is read. Where it lies is not known to the compiler: the loader puts the
 * places of the running kernel in (CO-RE).
 */
#pragma once

#include "stream.h"
#include "task.h"

#define S_IFMT 00170000 /* uapi/linux/stat.h */
#define S_IFSOCK 0140000

#define AF_UNIX 1 /* linux/socket.h */
#define AF_INET 2
#define AF_INET6 10

#define IPV4_BYTES 4
#define IPV6_BYTES 16
#define PATH_BYTES 108

/* AddressSlot: how a sample holds the address of a socket. */
struct socket_address {
    u16 family;
    u16 port;             /* big-endian; of AF_UNIX how many bytes of the path count */
    u8 bytes[PATH_BYTES]; /* of AF_INET 4, of AF_INET6 16, of AF_UNIX the path; a NUL first = a name in the abstract namespace */
};

struct in6_addr {
    u8 bytes[IPV6_BYTES];
} OF_KERNEL;

struct sock_common {
    u32 skc_daddr;
    u32 skc_rcv_saddr;
    u16 skc_dport; /* big-endian; 0 = it is not connected */
    u16 skc_num;
    u16 skc_family;
    struct in6_addr skc_v6_daddr;
    struct in6_addr skc_v6_rcv_saddr;
} OF_KERNEL;

struct sock {
    struct sock_common __sk_common;
} OF_KERNEL;

struct sockaddr_un {
    u16 sun_family;
    char sun_path[PATH_BYTES];
} OF_KERNEL;

struct unix_address {
    s32 len; /* of its name, with the family */
    struct sockaddr_un name[];
} OF_KERNEL;

struct unix_sock {
    struct sock sk;
    struct unix_address *addr; /* null without a name, which clients and both ends of a pair have not */
    struct sock *peer;
} OF_KERNEL;

struct socket {
    struct sock *sk;
} OF_KERNEL;

struct inode {
    u16 i_mode;
} OF_KERNEL;

struct file {
    struct inode *f_inode;
    void *private_data; /* of a socket's file the struct socket */
} OF_KERNEL;

struct fdtable {
    u32 max_fds;
    struct file **fd;
} OF_KERNEL;

struct files_struct {
    struct fdtable *fdt;
} OF_KERNEL;

/*
 * Finds the socket of a file descriptor of the running thread. Nine reads of the kernel's memory: a program that wants both ends
 * of a socket calls this once.
 *
 * Of another file's private data nothing is known. A descriptor that is free has no file, whose reading fails.
 *
 * Returns the address of its struct sock; 0 = it is no socket.
 */
LINKED u64 find_socket(u64 fd)
{
    struct task_struct *task = (void *)bpf_get_current_task();
    struct files_struct *files;
    struct fdtable *table;
    struct file **descriptors;
    struct file *file;
    struct inode *inode;
    struct socket *socket;
    struct sock *sock;
    u32 count;
    u16 mode;
    if (!READ(files, task->files) || !READ(table, files->fdt) || !READ(count, table->max_fds) || (u32)fd >= count
        || !READ(descriptors, table->fd) || !READ(file, descriptors[(u32)fd]) || !READ(inode, file->f_inode)
        || !READ(mode, inode->i_mode) || (mode & S_IFMT) != S_IFSOCK
        || !READ(socket, file->private_data) || !READ(sock, socket->sk))
        return 0;
    return (u64)sock;
}

inline_always int read_port(struct socket_address *to, struct sock *sock, u64 is_peer)
{
    if (is_peer)
        return READ(to->port, sock->__sk_common.skc_dport) && to->port != 0;
    u16 port;
    if (!READ(port, sock->__sk_common.skc_num))
        return 0;
    to->port = __builtin_bswap16(port);
    return 1;
}

/* The name that a socket is bound to. */
inline_always int read_path(struct socket_address *to, struct sock *sock, u64 is_peer)
{
    struct unix_address *address;
    s32 length;
    to->port = 0;
    if (!HAS_FIELD(((struct unix_sock *)sock)->addr))
        return 1; /* AF_UNIX is a module */
    if (is_peer && !READ(sock, ((struct unix_sock *)sock)->peer))
        return 0;
    if (!READ(address, ((struct unix_sock *)sock)->addr))
        return 0;
    if (!address)
        return 1;
    if (!READ(length, address->len))
        return 0;
    u64 bytes = (u32)length - sizeof(to->family);
    barrier_var(bytes);
    if (bytes > PATH_BYTES)
        bytes = PATH_BYTES;
    if (bpf_probe_read_kernel(to->bytes, bytes, (u64)&address->name[0].sun_path) != 0)
        return 0;
    to->port = bytes;
    return 1;
}

/*
 * Reads the address of the peer of a socket, or its own.
 *
 * socket: as find_socket() returns it
 *
 * Returns 0 = done; 1 = it is of none of these families, or has no peer.
 */
LINKED int read_socket_end(struct socket_address *to, u64 socket, u64 is_peer)
{
    struct sock *sock = (struct sock *)socket;
    if (!READ(to->family, sock->__sk_common.skc_family))
        return 1;
    if (to->family == AF_UNIX)
        return !read_path(to, sock, is_peer);
    if (to->family != AF_INET && to->family != AF_INET6)
        return 1;
    if (!read_port(to, sock, is_peer))
        return 1;
    if (to->family == AF_INET) {
        u64 address = is_peer ? (u64)&sock->__sk_common.skc_daddr : (u64)&sock->__sk_common.skc_rcv_saddr;
        return bpf_probe_read_kernel(to->bytes, IPV4_BYTES, address) != 0;
    }
    if (!HAS_FIELD(sock->__sk_common.skc_v6_daddr))
        return 1;
    u64 address = is_peer ? (u64)&sock->__sk_common.skc_v6_daddr : (u64)&sock->__sk_common.skc_v6_rcv_saddr;
    return bpf_probe_read_kernel(to->bytes, IPV6_BYTES, address) != 0;
}

/* Of struct sockaddr_in, sockaddr_in6 and sockaddr_un, behind the family. */
#define SOCKADDR_PORT 2
#define SOCKADDR_IN_ADDRESS 4
#define SOCKADDR_IN6_ADDRESS 8
#define SOCKADDR_UN_PATH 2

/* What of an address is read: memory of the process, or of the kernel. Both are constants in each program. */
struct whose {
    u64 is_kernel;
    u64 may_sleep; /* as in read_user() */
};

inline_always int read_part(void *to, u64 size, u64 address, struct whose whose)
{
    long failed = whose.is_kernel ? bpf_probe_read_kernel(to, size, address)
                                  : read_user(to, size, address, whose.may_sleep);
    return failed == 0;
}

/*
 * Reads text. That of a process lies on two pages at most: these are brought in, the second only when the first was not
 * enough, for it may not be the process's at all.
 */
inline_always long read_name(u8 *to, u64 size, u64 address, struct whose whose)
{
    if (whose.is_kernel)
        return bpf_probe_read_kernel_str(to, size, address);
    long length = bpf_probe_read_user_str(to, size, address);
    if (length > 0 || !whose.may_sleep)
        return length;
    if (bpf_copy_from_user(to, 1, address) != 0)
        return 0;
    length = bpf_probe_read_user_str(to, size, address);
    if (length > 0 || bpf_copy_from_user(to, 1, address + size - 1) != 0)
        return length;
    return bpf_probe_read_user_str(to, size, address);
}

/*
 * Reads a struct sockaddr.
 *
 * is_kernel: whether it is in the kernel's memory, and not in that of the process
 *
 * Returns 0 = done; 1 = it cannot be read, or is of none of these families.
 */
LINKED int read_sockaddr(struct socket_address *to, u64 address, u64 is_kernel, u64 may_sleep)
{
    struct whose whose = {is_kernel, may_sleep};
    if (!read_part(&to->family, sizeof(to->family), address, whose))
        return 1;
    if (to->family == AF_INET)
        return !read_part(&to->port, sizeof(to->port), address + SOCKADDR_PORT, whose)
            || !read_part(to->bytes, IPV4_BYTES, address + SOCKADDR_IN_ADDRESS, whose);
    if (to->family == AF_INET6)
        return !read_part(&to->port, sizeof(to->port), address + SOCKADDR_PORT, whose)
            || !read_part(to->bytes, IPV6_BYTES, address + SOCKADDR_IN6_ADDRESS, whose);
    if (to->family != AF_UNIX)
        return 1;
    /* The first byte for itself: it may be the NUL that a name in the abstract namespace begins with. */
    if (!read_part(to->bytes, 1, address + SOCKADDR_UN_PATH, whose))
        return 1;
    long length = read_name(to->bytes + 1, PATH_BYTES - 1, address + SOCKADDR_UN_PATH + 1, whose);
    if (length <= 0)
        return 1;
    to->port = length; /* with the first byte, and without the last NUL */
    return 0;
}
