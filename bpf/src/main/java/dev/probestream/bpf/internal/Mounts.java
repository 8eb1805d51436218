package dev.probestream.bpf.internal;

import dev.probestream.bpf.sys.Errno;
import dev.probestream.bpf.sys.SyscallException;
import java.nio.file.Path;

/** Mounts the kernel's own file systems where they are missing. */
public final class Mounts {
    private Mounts() {}

    /**
     * mount(2) of a file system without a device, such as tracefs.
     *
     * @param target an existing folder
     * @throws SyscallException EPERM without CAP_SYS_ADMIN, EBUSY when it is mounted there already, ENODEV when the
     *     kernel does not have it
     */
    public static void mount(String fileSystemType, Path target) {
        NativeMemory type = NativeMemory.ofString(fileSystemType);
        NativeMemory folder = NativeMemory.ofString(target.toString());
        // The source only names the mount in /proc/mounts; by custom it is the type.
        long result = type.lend(
                source -> folder.lend(place -> Syscalls.call(SystemCall.MOUNT, source, place, source, 0, 0, 0)));
        String advice = Errno.EPERM.is(result) ? "needs CAP_SYS_ADMIN, or root" : "";
        Syscalls.check(result, "mount " + fileSystemType + " at " + target, advice);
    }

    /** umount(2). */
    public static void unmount(Path target) {
        long result =
                NativeMemory.ofString(target.toString()).lend(folder -> Syscalls.call(SystemCall.UMOUNT2, folder, 0));
        Syscalls.check(result, "unmount " + target);
    }
}
