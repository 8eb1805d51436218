package dev.probestream.bpf.watch;

import dev.probestream.bpf.internal.syscall.PerfEvents;
import dev.probestream.bpf.proc.MappedRange;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Reads what code the processes of the machine map and when they execute another program, in the order of time, also of
 * processes that have ended since. One perf event per CPU (perf_event_open(2), since 4.1) writes the records, as for
 * perf-record(1); only executable mappings are recorded. Unmapping is not recorded.
 *
 * <pre>
 * linux/perf_event.h; the header is drawn at {@link PerfRing}
 * PERF_RECORD_MMAP2                          PERF_RECORD_COMM
 *   8  4  pid, in our pid namespace            8  4  pid, in our pid namespace
 *  16  8  address                              misc &amp; PERF_RECORD_MISC_COMM_EXEC: the name was set by an exec, before
 *  24  8  length                                    anything of the new program is mapped (fs/exec.c)
 *  32  8  offset in the file, bytes
 *  48  8  inode
 *  72  .. path, ends with NUL
 * </pre>
 *
 * <p>For one thread.
 */
public final class MappingLog implements AutoCloseable {
    private static final int PERF_RECORD_MISC_COMM_EXEC = 1 << 13;
    private static final int PID_OFFSET = 8;
    private static final int ADDRESS_OFFSET = 16;
    private static final int LENGTH_OFFSET = 24;
    private static final int FILE_OFFSET_OFFSET = 32;
    private static final int INODE_OFFSET = 48;
    private static final int PATH_OFFSET = 72;

    /** Room for some 2000 records between two calls of {@link #read}: 400 programs. 256 KB per CPU with pages of 4 KB. */
    private static final int DATA_PAGES = 64;

    private static final String DELETED = " (deleted)";

    private final List<PerfRing> rings;

    /** Receives the records. */
    public interface Listener {
        /**
         * A process has another program from here on: nothing of what it had mapped is left.
         *
         * @param pid of the process, in the pid namespace of this one
         */
        void executed(int pid);

        /**
         * A process mapped code, in the place of whatever was there. The path of memory without a file is "" or a name
         * in brackets.
         *
         * @param pid of the process, in the pid namespace of this one
         * @param range where, and of which file
         */
        void mapped(int pid, MappedRange range);

        /** Records of any processes are missing, from here on up to the next call of another method. */
        void lost();
    }

    /** Records up to this time are not passed, for there are gaps between them. */
    private long gapsUntilNs = Long.MIN_VALUE;

    private MappingLog(List<PerfRing> rings) {
        this.rings = rings;
    }

    /**
     * Begins to record.
     *
     * @return what was opened; the caller closes it
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses
     */
    public static MappingLog open() {
        return new MappingLog(PerfRing.ofEachCpu(PerfEvents::openPrograms, DATA_PAGES, "record what is mapped"));
    }

    /**
     * Passes on the records of this time and earlier. What a process did before this call is there, if it was earlier.
     * Two loads from memory per CPU when there is nothing. The kernel counts what it lost in a record after the gap; a
     * gap is passed on where it begins, at the record before.
     *
     * @param untilNs CLOCK_MONOTONIC
     * @param listener called by this thread during this call
     */
    public void read(long untilNs, Listener listener) {
        rings.forEach(PerfRing::begin);
        PerfRing first = earliest(untilNs);
        while (first != null) {
            pass(first, listener);
            first.next();
            first = earliest(untilNs);
        }
        rings.forEach(PerfRing::end);
    }

    @Override
    public void close() {
        rings.forEach(PerfRing::close);
        rings.clear();
    }

    /** The ring whose record is next, or null. */
    private @Nullable PerfRing earliest(long untilNs) {
        PerfRing first = null;
        long firstNs = untilNs;
        for (PerfRing ring : rings) {
            if (ring.hasRecord() && ring.type() == PerfRing.PERF_RECORD_LOST) {
                return ring;
            }
            if (ring.hasRecord() && ring.timestampNs() <= firstNs) {
                first = ring;
                firstNs = ring.timestampNs();
            }
        }
        return first;
    }

    private void pass(PerfRing record, Listener listener) {
        boolean isWhole = record.timestampNs() > gapsUntilNs;
        switch (record.type()) {
            case PerfRing.PERF_RECORD_MMAP2 -> {
                if (isWhole) {
                    listener.mapped(record.intAt(PID_OFFSET), range(record));
                }
            }
            case PerfRing.PERF_RECORD_COMM -> {
                if (isWhole && (record.misc() & PERF_RECORD_MISC_COMM_EXEC) != 0) {
                    listener.executed(record.intAt(PID_OFFSET));
                }
            }
            case PerfRing.PERF_RECORD_LOST -> {
                gapsUntilNs = Math.max(gapsUntilNs, record.timestampNs());
                listener.lost();
            }
            default -> {
                // PERF_RECORD_THROTTLE and the like
            }
        }
    }

    private static MappedRange range(PerfRing record) {
        long start = record.longAt(ADDRESS_OFFSET);
        long inode = record.longAt(INODE_OFFSET);
        String path = record.textAt(PATH_OFFSET);
        boolean isDeleted = inode != 0 && path.endsWith(DELETED);
        if (isDeleted) {
            path = path.substring(0, path.length() - DELETED.length());
        } else if (inode == 0 && path.startsWith("//")) {
            path = ""; // "//anon"
        }
        return new MappedRange(
                start,
                start + record.longAt(LENGTH_OFFSET),
                true,
                inode == 0 ? 0 : record.longAt(FILE_OFFSET_OFFSET),
                inode,
                path,
                isDeleted);
    }
}
