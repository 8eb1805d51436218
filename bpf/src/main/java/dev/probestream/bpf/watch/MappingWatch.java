package dev.probestream.bpf.watch;

import dev.probestream.bpf.internal.syscall.PerfEvents;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Detects that processes map files with code: a library is loaded, a program executed. One perf event per CPU
 * (perf_event_open(2), PERF_RECORD_MMAP) writes a record for each such mapping of any process into pages that are mapped
 * here. Nothing else is slowed: a process that maps nothing has no overhead.
 *
 * <pre>
 * PERF_RECORD_MMAP (linux/perf_event.h; the header is drawn at {@link PerfRing})
 *   8  4  pid, in our pid namespace
 *  40  .. path, ends with NUL
 * </pre>
 *
 * <p>For one thread.
 */
public final class MappingWatch implements AutoCloseable {
    private static final int PID_OFFSET = 8;
    private static final int PATH_OFFSET = 40;

    /** Room for some 400 records between two looks. */
    private static final int DATA_PAGES = 8;

    private final List<PerfRing> rings;
    private long firstNs;

    private MappingWatch(List<PerfRing> rings) {
        this.rings = rings;
    }

    /**
     * Begins to watch.
     *
     * @return what was opened; the caller closes it
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses
     */
    public static MappingWatch open() {
        return new MappingWatch(PerfRing.ofEachCpu(PerfEvents::openMappings, DATA_PAGES, "watch what is mapped"));
    }

    /**
     * {@return whether one of these processes has mapped code of a file since the last call, or may have: where records
     * were lost} Two loads from memory per CPU when nothing was mapped.
     *
     * @param isWanted takes a pid
     */
    public boolean hasNew(IntPredicate isWanted) {
        boolean hasNew = false;
        firstNs = Long.MAX_VALUE;
        for (PerfRing ring : rings) {
            ring.begin();
            while (ring.hasRecord()) {
                hasNew |= isNew(ring, isWanted);
                ring.next();
            }
            ring.end();
        }
        return hasNew;
    }

    /**
     * {@return when the first mapping that the last call of {@link #hasNew} found was made; Long.MAX_VALUE = not
     * known}
     */
    public long firstNs() {
        return firstNs;
    }

    @Override
    public void close() {
        rings.forEach(PerfRing::close);
        rings.clear();
    }

    private boolean isNew(PerfRing ring, IntPredicate isWanted) {
        int type = ring.type();
        if (type != PerfRing.PERF_RECORD_MMAP) {
            return type == PerfRing.PERF_RECORD_LOST; // there are those of forks and exits, too
        }
        // Code that a process writes itself has the path "//anon"; "[vdso]" and the like are no files.
        int start = ring.intAt(PATH_OFFSET);
        boolean isFile = (start & 0xff) == '/' && ((start >>> Byte.SIZE) & 0xff) != '/';
        if (!isFile || !isWanted.test(ring.intAt(PID_OFFSET))) {
            return false;
        }
        firstNs = Math.min(firstNs, ring.timestampNs());
        return true;
    }
}
