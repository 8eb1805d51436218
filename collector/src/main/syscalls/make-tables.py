#!/usr/bin/env python3
"""Writes the system call tables in ../resources/dev/probestream/syscalls.

Numbers and names: asm/unistd_64.h (x86-64) and asm-generic/unistd.h (aarch64) of the kernel headers 6.1, and NEWER below.
Arguments: /sys/kernel/tracing/events/syscalls/sys_enter_*/format of a 6.18 kernel, and UNTRACED below.
Run as root on an x86-64 machine with both headers (linux-libc-dev) and tracefs mounted: python3 make-tables.py
"""
import pathlib
import re

FORMATS = pathlib.Path("/sys/kernel/tracing/events/syscalls")
X86_64 = pathlib.Path("/usr/include/x86_64-linux-gnu/asm/unistd_64.h")
GENERIC = pathlib.Path("/usr/include/asm-generic/unistd.h")
TARGET = pathlib.Path(__file__).parent.parent / "resources/dev/probestream/syscalls"

# scripts/syscall.tbl and arch/x86/entry/syscalls/syscall_64.tbl of 6.18: calls after 6.1 have one number everywhere.
NEWER = {
    451: "cachestat", 452: "fchmodat2", 453: "map_shadow_stack", 454: "futex_wake", 455: "futex_wait",
    456: "futex_requeue", 457: "statmount", 458: "listmount", 459: "lsm_get_self_attr", 460: "lsm_set_self_attr",
    461: "lsm_list_modules", 462: "mseal", 463: "setxattrat", 464: "getxattrat", 465: "listxattrat",
    466: "removexattrat", 467: "open_tree_attr", 468: "file_getattr", 469: "file_setattr",
}
NEWER_X86_64 = {335: "uretprobe", 336: "uprobe"}

# The kernel's functions that have another name than their call.
FUNCTIONS = {
    "stat": "newstat", "lstat": "newlstat", "fstat": "newfstat", "uname": "newuname", "umount2": "umount",
    "sendfile": "sendfile64", "fadvise64": "fadvise64", "sync_file_range": "sync_file_range", "_sysctl": "sysctl",
}

# Calls without a tracepoint of their own: signatures of arch/x86/kernel, kernel/fork.c and kernel/signal.c.
UNTRACED = {
    "rt_sigreturn": [], "fork": [], "vfork": [],
    "clone": ["flags:u64", "newsp:ptr", "parent_tid:ptr", "child_tid:ptr", "tls:u64"],
    "mmap": ["addr:ptr", "len:u64", "prot:s32", "flags:s32", "fd:s32", "off:u64"],
    "arch_prctl": ["option:s32", "arg2:u64"],
    "modify_ldt": ["func:s32", "ptr:ptr", "bytecount:u64"],
    "iopl": ["level:u32"], "ioperm": ["from:u64", "num:u64", "turn_on:s32"],
    "sigaltstack": ["uss:ptr", "uoss:ptr"],
    "set_thread_area": ["u_info:ptr"], "get_thread_area": ["u_info:ptr"],
    "map_shadow_stack": ["addr:ptr", "size:u64", "flags:u32"],
    "uretprobe": [], "uprobe": [],
    # Not built into the kernel whose formats were read.
    "init_module": ["umod:ptr", "len:u64", "uargs:ptr"], "delete_module": ["name_user:str", "flags:u32"],
    "finit_module": ["fd:s32", "uargs:ptr", "flags:s32"],
    "kexec_load": ["entry:ptr", "nr_segments:u64", "segments:ptr", "flags:u64"],
    "kexec_file_load": ["kernel_fd:s32", "initrd_fd:s32", "cmdline_len:u64", "cmdline_ptr:ptr", "flags:u64"],
}

# What the kernel declares unsigned, or as wide as a register, but a person reads as a descriptor or an address.
DESCRIPTORS = {"fd", "fildes", "oldfd", "newfd", "fs_fd"}
ADDRESSES = {"addr", "start", "brk", "new_addr"}

NUMBERS = {
    "char": "s8", "umode_t": "u16",
    "int": "s32", "pid_t": "s32", "clockid_t": "s32", "timer_t": "s32", "mqd_t": "s32", "key_t": "s32",
    "key_serial_t": "s32", "rwf_t": "s32", "__s32": "s32", "enum landlock_rule_type": "s32",
    "unsigned int": "u32", "unsigned": "u32", "u32": "u32", "__u32": "u32", "uid_t": "u32", "gid_t": "u32",
    "qid_t": "u32",
    "long": "s64", "loff_t": "s64", "off_t": "s64", "ssize_t": "s64",
    "unsigned long": "u64", "size_t": "u64", "aio_context_t": "u64", "__u64": "u64",
    "cap_user_header_t": "ptr", "cap_user_data_t": "ptr",
}

# Pointers to char that hold a path or another text when the call returns; all others are buffers.
TEXTS = {
    "filename", "pathname", "path", "oldname", "newname", "u_name", "specialfile", "_type", "uname", "to_pathname",
    "special", "put_old", "new_root", "from_pathname", "_fs_name", "dir_name", "dev_name", "type", "library",
}
TEXTS_OF_CALLS = {
    ("setxattr", "name"), ("lsetxattr", "name"), ("fsetxattr", "name"), ("getxattr", "name"), ("lgetxattr", "name"),
    ("fgetxattr", "name"), ("removexattr", "name"), ("lremovexattr", "name"), ("fremovexattr", "name"),
    ("memfd_create", "uname"), ("delete_module", "name_user"), ("getcwd", "buf"), ("mq_open", "u_name"),
    ("umount2", "name"), ("acct", "name"), ("name_to_handle_at", "name"), ("setxattrat", "name"), ("getxattrat", "name"), ("removexattrat", "name"),
}
# Their memory is another program's after they succeeded.
GONE_ON_SUCCESS = {"execve", "execveat"}
MAX_TEXTS = 2


def arguments(name):
    if name in UNTRACED:
        return UNTRACED[name]
    file = FORMATS / f"sys_enter_{FUNCTIONS.get(name, name)}" / "format"
    if not file.exists():
        return None
    found = []
    texts = 0
    for declaration in re.findall(r"^\tfield:(.*?);.*$", file.read_text(), re.MULTILINE):
        match = re.fullmatch(r"(.*?)\s*(\w+)", declaration)
        kind, argument = match.group(1), match.group(2)
        if argument.startswith("common_") or argument == "__syscall_nr" or kind.startswith("__data_loc"):
            continue
        plain = re.sub(r"^const ", "", kind)
        is_text = plain == "char *" and (argument in TEXTS or (name, argument) in TEXTS_OF_CALLS)
        if is_text and texts < MAX_TEXTS:
            found.append(f"{argument.lstrip('_')}:str")
            texts += 1
        elif argument in DESCRIPTORS and not plain.endswith("*"):
            found.append(f"{argument}:s32")
        elif plain.endswith("*") or (argument in ADDRESSES and plain == "unsigned long"):
            found.append(f"{argument.lstrip('_')}:ptr")
        else:
            found.append(f"{argument.lstrip('_')}:{NUMBERS.get(plain, 'u64')}")
    return found


def x86_64():
    numbers = {}
    for name, number in re.findall(r"^#define __NR_(\w+) (\d+)$", X86_64.read_text(), re.MULTILINE):
        numbers[int(number)] = name
    return numbers | NEWER | NEWER_X86_64


def aarch64():
    numbers = {}
    text = GENERIC.read_text()
    for name, number in re.findall(r"^#define __NR(?:3264)?_(\w+) (\d+)$", text, re.MULTILINE):
        if int(number) < 450 and name not in ("arch_specific_syscall", "syscalls") and "time64" not in name:
            numbers.setdefault(int(number), name)
    # Those with 32-bit and 64-bit variants are named after the latter (__NR3264_ in the header).
    numbers |= {25: "fcntl", 43: "statfs", 44: "fstatfs", 45: "truncate", 46: "ftruncate", 62: "lseek",
                71: "sendfile", 84: "sync_file_range", 79: "newfstatat", 80: "fstat", 222: "mmap", 223: "fadvise64"}
    return numbers | NEWER


def write(machine, numbers, source):
    lines = [
        f"# System calls of {machine}: number, name, arguments with types. Written by src/main/syscalls/make-tables.py",
        f"# from {source} and the formats of the tracepoints sys_enter_* of Linux 6.18.",
        "# name!  = its texts are gone when it succeeds;  name?  = its arguments are not known",
    ]
    for number, name in sorted(numbers.items()):
        known = arguments(name)
        if machine == "aarch64" and name == "clone":  # CONFIG_CLONE_BACKWARDS
            known = ["flags:u64", "newsp:ptr", "parent_tid:ptr", "tls:u64", "child_tid:ptr"]
        mark = "?" if known is None else "!" if name in GONE_ON_SUCCESS else ""
        lines.append(" ".join([str(number), name + mark] + (known or [])))
    (TARGET / f"{machine}.txt").write_text("\n".join(lines) + "\n")


write("x86-64", x86_64(), "asm/unistd_64.h")
write("aarch64", aarch64(), "asm-generic/unistd.h")
