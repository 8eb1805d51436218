package dev.probestream.bpf.proc;

/**
 * One line of /proc/PID/maps (proc_pid_maps(5)).
 *
 * @param start first address
 * @param end first address after the range
 * @param isExecutable code may run in it
 * @param fileOffset where in the file {@code start} is; 0 for anonymous memory
 * @param inode of the file; 0 for anonymous memory
 * @param path as the process sees it; {@code [vdso]} and the like; "" for memory without a name
 * @param isDeleted the file has no path any more, or never had one (memfd)
 */
public record MappedRange(
        long start, long end, boolean isExecutable, long fileOffset, long inode, String path, boolean isDeleted) {
    /**
     * {@return whether an address is in this range}
     *
     * @param address in the process
     */
    public boolean covers(long address) {
        return address >= start && address < end;
    }

    /** {@return whether a file is mapped here} */
    public boolean isFile() {
        return inode != 0;
    }

    /**
     * {@return where in the file the byte at an address of this range is}
     *
     * @param address in the process
     */
    public long fileOffsetOf(long address) {
        return address - start + fileOffset;
    }

    /** {@return the last component of the path} */
    public String fileName() {
        return path.substring(path.lastIndexOf('/') + 1);
    }
}
