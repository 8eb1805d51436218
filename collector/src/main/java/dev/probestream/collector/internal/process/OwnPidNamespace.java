package dev.probestream.collector.internal.process;

import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.ResolveException.Reason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * The pid namespace of this process, whose ids a user sees, passes and is shown.
 *
 * @param id of its file /proc/self/ns/pid
 */
public record OwnPidNamespace(FileId id) {
    /** PROC_PID_INIT_INO of linux/proc_ns.h: the initial namespace, that of the host. */
    private static final long INITIAL_INODE = 0xEFFF_FFFCL;

    /**
     * Reads it, and checks that /proc shows its processes and not those of another namespace.
     *
     * @throws ResolveException if /proc is not mounted, or is that of another pid namespace
     */
    public static OwnPidNamespace read() throws ResolveException {
        return read(Path.of("/proc/self"), ProcessHandle.current().pid());
    }

    static OwnPidNamespace read(Path self, long pid) throws ResolveException {
        try {
            String status = Files.readString(self.resolve("status"));
            // One id for each namespace from that of /proc to that of the process (proc_pid_status(5)).
            Optional<String> ids = ProcFile.statusField(status, "NSpid");
            if (ids.isPresent() && !ids.get().equals(String.valueOf(pid))) {
                throw new ResolveException(
                        Reason.NOT_PERMITTED,
                        "read /proc: it shows the processes of another pid namespace (there this process is "
                                + ids.get().split("\\s+")[0] + ", here it is " + pid
                                + "); mount the /proc of this one: mount -t proc proc /proc"
                                + " (unshare: --mount-proc)");
            }
            return new OwnPidNamespace(FileId.of(self.resolve("ns/pid")));
        } catch (IOException e) {
            throw new ResolveException(
                    Reason.NOT_PERMITTED,
                    "read " + self + ": " + ProcFile.reason(e)
                            + "; mount the /proc of this pid namespace: mount -t proc proc /proc",
                    e);
        }
    }

    /** Whether its ids are those that the kernel itself uses. */
    public boolean isInitial() {
        return id.inode() == INITIAL_INODE;
    }

    /**
     * The device of {@link #id} as the kernel has it (dev_t of linux/kdev_t.h): a minor number of 20 bits below the
     * major one. stat(2) spreads the bits otherwise (new_encode_dev).
     */
    public long kernelDevice() {
        long encoded = id.device();
        long major = (encoded >>> 8) & 0xfff;
        long minor = (encoded & 0xff) | ((encoded >>> 12) & 0xfff00);
        return (major << 20) | minor;
    }
}
