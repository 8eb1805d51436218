package dev.probestream.collector.internal.program.options;

import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.BtfFormatException;
import dev.probestream.bpf.btf.FieldPath;
import dev.probestream.bpf.btf.UnknownFieldException;
import java.util.Optional;

/**
 * The pid namespace whose process ids a capture uses, where it is not the initial one: that of a container. The kernel's
 * own ids are those of the initial namespace, so programs translate them.
 *
 * @param device of the namespace's file /proc/PID/ns/pid, as the kernel encodes it (dev_t)
 * @param inode of that file; the kernel's {@code ns_common.inum}, a u32
 * @param offsets what leads from any task to its ids. Without them only threads whose own namespace this is have ids;
 *     those of namespaces inside it have none
 */
public record PidNamespace(long device, long inode, Optional<Offsets> offsets) {
    /**
     * Added to the host's ids of threads and processes that this namespace does not contain, so that they are
     * distinguished from its own. Ids are below 2^22 (PID_MAX_LIMIT of linux/threads.h).
     */
    public static final int OUTSIDE = 1 << 30;

    /** {@code PIDTYPE_TGID} of linux/pid_types.h, an index of {@code signal_struct.pids}. */
    private static final int PIDTYPE_TGID = 1;

    /**
     * Where the running kernel keeps the ids of a task, in bytes; from BTF. A {@code struct pid} has an id for each
     * namespace from the initial one (level 0) to the task's own.
     *
     * @param threadPid {@code task_struct.thread_pid}, pointer to the {@code struct pid} of the thread; null once it ended
     * @param signal {@code task_struct.signal}, pointer to {@code struct signal_struct}
     * @param processPid in {@code signal_struct}: pointer to the {@code struct pid} of the process
     * @param level {@code pid.level}, u32
     * @param numbers {@code pid.numbers}, an array of {@code struct upid}
     * @param numberSizeBytes size of {@code struct upid}
     * @param number {@code upid.nr}, s32
     * @param namespace {@code upid.ns}, pointer to {@code struct pid_namespace}
     * @param inode {@code pid_namespace.ns.inum}, u32
     */
    public record Offsets(
            int threadPid,
            int signal,
            int processPid,
            int level,
            int numbers,
            int numberSizeBytes,
            int number,
            int namespace,
            int inode) {
        /**
         * Reads the offsets out of a kernel's BTF.
         *
         * @throws UnknownFieldException when the kernel has no such field: it is older or newer than we know
         */
        public static Offsets of(BtfFile btf) throws BtfFormatException, UnknownFieldException {
            int namespace = offset(btf, "upid.ns");
            return new Offsets(
                    offset(btf, "task_struct.thread_pid"),
                    offset(btf, "task_struct.signal"),
                    offset(btf, "signal_struct.pids") + PIDTYPE_TGID * Long.BYTES,
                    offset(btf, "pid.level"),
                    offset(btf, "pid.numbers"),
                    namespace + Long.BYTES,
                    offset(btf, "upid.nr"),
                    namespace,
                    offset(btf, "pid_namespace.ns.inum"));
        }

        private static int offset(BtfFile btf, String path) throws BtfFormatException, UnknownFieldException {
            return Math.toIntExact(FieldPath.resolve(btf, path).offsetBytes());
        }
    }
}
