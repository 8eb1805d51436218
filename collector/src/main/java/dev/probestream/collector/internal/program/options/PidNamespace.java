package dev.probestream.collector.internal.program.options;

/**
 * The pid namespace whose process ids a capture uses, where it is not the initial one: that of a container. The kernel's
 * own ids are those of the initial namespace, so programs translate them.
 *
 * @param device of the namespace's file /proc/PID/ns/pid, as the kernel encodes it (dev_t)
 * @param inode of that file; the kernel's {@code ns_common.inum}, a u32
 * @param containsOthers whether threads of namespaces inside it have ids, which are looked up in the kernel's structures
 *     ({@link KernelFields#IDS}); if not, only threads have that whose own namespace this is
 */
public record PidNamespace(long device, long inode, boolean containsOthers) {
    /**
     * Added to the host's ids of threads and processes that this namespace does not contain, so that they are
     * distinguished from its own. Ids are below 2^22 (PID_MAX_LIMIT of linux/threads.h).
     */
    public static final int OUTSIDE = 1 << 30;
}
