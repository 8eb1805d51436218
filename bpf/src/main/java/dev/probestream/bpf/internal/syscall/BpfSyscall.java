package dev.probestream.bpf.internal.syscall;

import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.internal.Syscalls;
import dev.probestream.bpf.internal.SystemCall;
import dev.probestream.bpf.machine.Capability;
import dev.probestream.bpf.machine.Confinement;
import dev.probestream.bpf.sys.Errno;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** bpf(2): its commands ({@code enum bpf_cmd} in linux/bpf.h), the names of objects, and advice about errors. */
public final class BpfSyscall {
    public static final int BPF_MAP_CREATE = 0;
    public static final int BPF_MAP_LOOKUP_ELEM = 1;
    public static final int BPF_MAP_UPDATE_ELEM = 2;
    public static final int BPF_MAP_DELETE_ELEM = 3;
    public static final int BPF_MAP_GET_NEXT_KEY = 4;
    public static final int BPF_PROG_LOAD = 5;
    public static final int BPF_OBJ_GET_INFO_BY_FD = 15;
    public static final int BPF_RAW_TRACEPOINT_OPEN = 17;
    public static final int BPF_BTF_LOAD = 18;
    public static final int BPF_MAP_FREEZE = 22;
    public static final int BPF_MAP_LOOKUP_BATCH = 24;
    public static final int BPF_LINK_CREATE = 28;
    public static final int BPF_ENABLE_STATS = 32;

    /** linux/bpf.h */
    private static final int BPF_OBJ_NAME_LEN = 16;

    // linux/resource.h, asm-generic/resource.h
    private static final int RLIMIT_MEMLOCK = 8;
    private static final long RLIM_INFINITY = -1;

    private BpfSyscall() {}

    /**
     * Stores the name under which the kernel lists a map or program: at most 15 letters, digits, dots and underscores.
     */
    public static void putName(NativeMemory attr, int offset, String name) {
        attr.putString(offset, BPF_OBJ_NAME_LEN, name.replaceAll("[^A-Za-z0-9_.]", "_"));
    }

    /**
     * Removes the limit on locked memory for this process. Kernels before 5.11 charge maps and programs to it and answer
     * EPERM when it is exceeded; later ones charge the memory cgroup.
     *
     * @return false where that is not allowed (without CAP_SYS_RESOURCE)
     */
    public static boolean raiseMemoryLockLimit() {
        NativeMemory limit =
                NativeMemory.allocate(2 * Long.BYTES).putLong(0, RLIM_INFINITY).putLong(Long.BYTES, RLIM_INFINITY);
        return limit.lend(address -> Syscalls.call(SystemCall.PRLIMIT64, 0, RLIMIT_MEMLOCK, address)) == 0;
    }

    /** Whether the kernel refuses what it may well support. */
    public static boolean isRefusal(Errno errno) {
        return errno == Errno.EPERM || errno == Errno.EACCES || errno == Errno.ENOSYS;
    }

    /** Why the kernel may have refused a call, from all that can be read of it; the kernel does not report it. */
    private static String refusal(Errno errno) {
        boolean isUnknownCall = errno == Errno.ENOSYS;
        List<String> clauses = new ArrayList<>();
        if (isUnknownCall) {
            clauses.add("this kernel was built without it (CONFIG_BPF_SYSCALL, CONFIG_PERF_EVENTS)");
        } else if (!hasCapabilities()) {
            clauses.add("needs root, or CAP_BPF and CAP_PERFMON");
        }
        clauses.addAll(Confinement.ofThisProcess().clauses(isUnknownCall));
        if (clauses.isEmpty()) {
            clauses.add("the capabilities are held, and no seccomp filter, SELinux, AppArmor or lockdown was found;"
                    + " 'dmesg' may contain more");
        }
        return String.join(isUnknownCall ? "; or " : "; ", clauses) + "; run 'doctor'";
    }

    private static boolean hasCapabilities() {
        Set<Capability> held = Capability.inEffect();
        return held.contains(Capability.CAP_SYS_ADMIN)
                || (held.contains(Capability.CAP_BPF) && held.contains(Capability.CAP_PERFMON));
    }

    /** What to do about a failed call of BPF or perf; empty where the meaning of the errno is enough. */
    public static String advice(long result) {
        if (Errno.EPERM.is(result) || Errno.EACCES.is(result) || Errno.ENOSYS.is(result)) {
            return refusal(Errno.of((int) -result));
        }
        if (Errno.EMFILE.is(result)) {
            return "too many open files: raise the limit with 'ulimit -n'";
        }
        return "";
    }
}
