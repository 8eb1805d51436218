package dev.probestream.bpf.kernel;

import dev.probestream.bpf.internal.FileDescriptor;
import dev.probestream.bpf.internal.MappedMemory;
import dev.probestream.bpf.internal.PageSize;
import dev.probestream.bpf.machine.PossibleCpus;
import dev.probestream.bpf.sys.Errno;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntPredicate;

/**
 * Detects that processes map files with code: a library is loaded, a program executed. One perf event per CPU
 * (perf_event_open(2), PERF_RECORD_MMAP) writes a record for each such mapping of any process into pages that are mapped
 * here. Nothing else is slowed, and a process that maps nothing pays nothing.
 *
 * <pre>
 * struct perf_event_mmap_page (linux/perf_event.h)   PERF_RECORD_MMAP
 *   1024  8  data_head  written by the kernel          0  8  header: type u32, misc u16, size u16
 *   1032  8  data_tail  written by us                  8  4  pid, in our pid namespace
 *   one page: DATA_PAGES of data                      40  .. path, ends with NUL
 *                                                  size-8  8  time, CLOCK_MONOTONIC
 * </pre>
 *
 * <p>For one thread.
 */
public final class MappingWatch implements AutoCloseable {
    private static final int HEAD_OFFSET = 1024;
    private static final int TAIL_OFFSET = 1032;
    private static final int PERF_RECORD_MMAP = 1;
    private static final int PERF_RECORD_LOST = 2;
    private static final int PID_OFFSET = 8;
    private static final int PATH_OFFSET = 40;

    /** Room for some 400 records between two looks. */
    private static final int DATA_PAGES = 8;

    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final List<CpuRing> rings = new ArrayList<>();
    private long firstNs;

    private MappingWatch() {}

    /**
     * Begins to watch.
     *
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses
     */
    public static MappingWatch open() {
        MappingWatch watch = new MappingWatch();
        try {
            for (int cpu : PossibleCpus.ofThisMachine().ids()) {
                long result = PerfEvents.openMappings(cpu);
                if (!Errno.ENODEV.is(result)) {
                    String attempt = "watch what is mapped on cpu " + cpu;
                    watch.rings.add(CpuRing.of(FileDescriptor.of(result, attempt, BpfSyscall.advice(result))));
                }
            }
            return watch;
        } catch (RuntimeException e) {
            watch.close();
            throw e;
        }
    }

    /**
     * Whether one of these processes has mapped code of a file since the last call, or may have: where records were lost.
     * Two loads from memory per CPU when nothing was mapped.
     */
    public boolean hasNew(IntPredicate isWanted) {
        boolean hasNew = false;
        firstNs = Long.MAX_VALUE;
        for (CpuRing ring : rings) {
            hasNew |= ring.take(isWanted, this);
        }
        return hasNew;
    }

    /** When the first mapping that the last call of {@link #hasNew} found was made; Long.MAX_VALUE = not known. */
    public long firstNs() {
        return firstNs;
    }

    @Override
    public void close() {
        rings.forEach(CpuRing::close);
        rings.clear();
    }

    private void found(long timestampNs) {
        firstNs = Math.min(firstNs, timestampNs);
    }

    private record CpuRing(FileDescriptor event, MappedMemory memory, ByteBuffer pages, int pageBytes) {
        static CpuRing of(FileDescriptor event) {
            int pageBytes = PageSize.bytes();
            try {
                MappedMemory memory = MappedMemory.map(
                        event.number(), 0, (1 + DATA_PAGES) * pageBytes, true, "the mappings of a cpu");
                return new CpuRing(event, memory, memory.buffer(), pageBytes);
            } catch (RuntimeException e) {
                event.close();
                throw e;
            }
        }

        boolean take(IntPredicate isWanted, MappingWatch watch) {
            // acquire: the kernel writes the records before the head (kernel/events/ring_buffer.c)
            long head = (long) LONGS.getAcquire(pages, HEAD_OFFSET);
            long tail = pages.getLong(TAIL_OFFSET);
            boolean hasNew = false;
            while (tail < head) {
                int type = intAt(tail);
                int sizeBytes = intAt(tail + 4) >>> Short.SIZE;
                if (sizeBytes <= 0) {
                    tail = head;
                    hasNew = true;
                } else {
                    hasNew |= isNew(type, tail, sizeBytes, isWanted, watch);
                    tail += sizeBytes;
                }
            }
            LONGS.setRelease(pages, TAIL_OFFSET, tail);
            return hasNew;
        }

        private boolean isNew(int type, long record, int sizeBytes, IntPredicate isWanted, MappingWatch watch) {
            if (type != PERF_RECORD_MMAP) {
                return type == PERF_RECORD_LOST; // there are those of forks and exits, too
            }
            // Code that a process writes itself has the path "//anon"; "[vdso]" and the like are no files.
            int start = intAt(record + PATH_OFFSET);
            boolean isFile = (start & 0xff) == '/' && ((start >>> Byte.SIZE) & 0xff) != '/';
            if (!isFile || !isWanted.test(intAt(record + PID_OFFSET))) {
                return false;
            }
            long time = record + sizeBytes - Long.BYTES;
            watch.found(Integer.toUnsignedLong(intAt(time)) | ((long) intAt(time + Integer.BYTES) << Integer.SIZE));
            return true;
        }

        /** Records are aligned to 8 bytes and may go on at the beginning of the data. */
        private int intAt(long position) {
            return pages.getInt(pageBytes + (int) (position % ((long) DATA_PAGES * pageBytes)));
        }

        void close() {
            try (event;
                    memory) {
                // both are closed, whatever becomes of the other
            }
        }
    }
}
