package dev.probestream.collector.internal.syscall;

import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * The system calls that are recorded one by one where other calls are summed: they are rare, and the file, the address or the
 * process among their arguments explains what a program does. docs/probes.md lists them.
 */
final class RareSyscalls {
    private static final Set<String> NAMES = Arrays.stream("""
            open openat openat2 creat open_by_handle_at truncate ftruncate
            rename renameat renameat2 link linkat symlink symlinkat unlink unlinkat
            mkdir mkdirat rmdir mknod mknodat chmod fchmod fchmodat fchmodat2 chown fchown lchown fchownat
            chdir fchdir chroot pivot_root mount umount2 swapon swapoff
            fsync fdatasync sync syncfs sync_file_range
            connect bind listen
            execve execveat fork vfork clone clone3 exit exit_group
            kill tkill tgkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_send_signal
            setuid setgid setreuid setregid setresuid setresgid setgroups setns unshare capset
            ptrace process_vm_readv process_vm_writev bpf perf_event_open init_module finit_module delete_module
            reboot kexec_load kexec_file_load
            """.split("\\s+")).collect(Collectors.toUnmodifiableSet());

    private RareSyscalls() {}

    static boolean contain(String name) {
        return NAMES.contains(name);
    }
}
