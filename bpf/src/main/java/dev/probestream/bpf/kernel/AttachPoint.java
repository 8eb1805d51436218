package dev.probestream.bpf.kernel;

import java.nio.file.Path;

/**
 * An instruction of an executable file, where a uprobe is attached.
 *
 * @param file absolute, as this process can open it (through /proc/PID/root for a process in a container)
 * @param fileOffset of the instruction in the file, in bytes: not its virtual address
 * @param refCtrOffset file offset of a USDT semaphore, which the kernel increments while the probe is attached; 0 =
 *     none
 * @param cookie the value that the program reads with {@code get_attach_cookie} here; 0 where
 *     {@link UprobeAttachMethod#hasCookies} is false
 */
public record AttachPoint(Path file, long fileOffset, long refCtrOffset, long cookie) {
    @Override
    public String toString() {
        return file + "+0x" + Long.toHexString(fileOffset);
    }
}
