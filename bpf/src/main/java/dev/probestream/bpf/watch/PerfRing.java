package dev.probestream.bpf.watch;

import dev.probestream.bpf.internal.FileDescriptor;
import dev.probestream.bpf.internal.MappedMemory;
import dev.probestream.bpf.internal.PageSize;
import dev.probestream.bpf.internal.syscall.BpfSyscall;
import dev.probestream.bpf.machine.PossibleCpus;
import dev.probestream.bpf.sys.Errno;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntToLongFunction;

/**
 * The records of one perf event (perf_event_open(2)), read in their order: {@link #begin}, then {@link #next} after each
 * record while there is {@link #hasRecord one}, then {@link #end}, which gives the room of what was read back. Offsets are
 * relative to the record. Every record ends with its time (PERF_SAMPLE_TIME with sample_id_all).
 *
 * <pre>
 * struct perf_event_mmap_page (linux/perf_event.h)   every record
 *   1024  8  data_head  written by the kernel          0  4  type
 *   1032  8  data_tail  written by us                  4  2  misc
 *   one page: the data                                 6  2  size, a multiple of 8
 *                                                 size-8  8  time, CLOCK_MONOTONIC
 * </pre>
 *
 * <p>For one thread.
 */
final class PerfRing implements AutoCloseable {
    static final int PERF_RECORD_MMAP = 1;
    static final int PERF_RECORD_LOST = 2;
    static final int PERF_RECORD_COMM = 3;
    static final int PERF_RECORD_MMAP2 = 10;

    private static final int HEAD_OFFSET = 1024;
    private static final int TAIL_OFFSET = 1032;
    private static final int MIN_SIZE_BYTES = 16;
    private static final VarHandle LONGS = MethodHandles.byteBufferViewVarHandle(long[].class, ByteOrder.nativeOrder());

    private final FileDescriptor event;
    private final MappedMemory memory;
    private final ByteBuffer pages;
    private final int dataOffset;
    private final int dataBytes;
    private long head;
    private long tail;

    private PerfRing(FileDescriptor event, MappedMemory memory, int dataOffset, int dataBytes) {
        this.event = event;
        this.memory = memory;
        this.pages = memory.buffer();
        this.dataOffset = dataOffset;
        this.dataBytes = dataBytes;
    }

    /**
     * Opens an event on each cpu that is online.
     *
     * @param open returns the descriptor of a cpu's event or minus an errno
     * @param dataPages a power of two
     * @param attempt for messages
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses
     */
    static List<PerfRing> ofEachCpu(IntToLongFunction open, int dataPages, String attempt) {
        List<PerfRing> rings = new ArrayList<>();
        try {
            for (int cpu : PossibleCpus.ofThisMachine().ids()) {
                long result = open.applyAsLong(cpu);
                if (!Errno.ENODEV.is(result)) {
                    String onCpu = attempt + " on cpu " + cpu;
                    rings.add(of(FileDescriptor.of(result, onCpu, BpfSyscall.advice(result)), dataPages));
                }
            }
            return rings;
        } catch (RuntimeException e) {
            rings.forEach(PerfRing::close);
            throw e;
        }
    }

    private static PerfRing of(FileDescriptor event, int dataPages) {
        int pageBytes = PageSize.bytes();
        try {
            MappedMemory memory =
                    MappedMemory.map(event.number(), 0, (1 + dataPages) * pageBytes, true, "the perf records of a cpu");
            return new PerfRing(event, memory, pageBytes, dataPages * pageBytes);
        } catch (RuntimeException e) {
            event.close();
            throw e;
        }
    }

    void begin() {
        // acquire: the kernel writes the records before the head (kernel/events/ring_buffer.c)
        head = (long) LONGS.getAcquire(pages, HEAD_OFFSET);
        tail = pages.getLong(TAIL_OFFSET);
    }

    boolean hasRecord() {
        return tail < head;
    }

    void next() {
        int sizeBytes = sizeBytes();
        tail = sizeBytes < MIN_SIZE_BYTES ? head : tail + sizeBytes;
    }

    void end() {
        LONGS.setRelease(pages, TAIL_OFFSET, tail);
    }

    /** A record that cannot be read counts as lost, with what follows it. */
    int type() {
        return sizeBytes() < MIN_SIZE_BYTES ? PERF_RECORD_LOST : intAt(0);
    }

    int misc() {
        return intAt(4) & 0xffff;
    }

    long timestampNs() {
        int sizeBytes = sizeBytes();
        return sizeBytes < MIN_SIZE_BYTES ? 0 : longAt(sizeBytes - Long.BYTES);
    }

    /** Records go on at the beginning of the data. */
    int intAt(int offset) {
        return pages.getInt(dataOffset + (int) ((tail + offset) % dataBytes));
    }

    /** @param offset a multiple of 8 */
    long longAt(int offset) {
        return pages.getLong(dataOffset + (int) ((tail + offset) % dataBytes));
    }

    /** The text from an offset up to its NUL. */
    String textAt(int offset) {
        byte[] bytes = new byte[Math.max(0, sizeBytes() - Long.BYTES - offset)];
        int length = 0;
        while (length < bytes.length) {
            byte next = pages.get(dataOffset + (int) ((tail + offset + length) % dataBytes));
            if (next == 0) {
                break;
            }
            bytes[length++] = next;
        }
        return new String(bytes, 0, length, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        try (event;
                memory) {
            // both are closed, also if closing the other fails
        }
    }

    private int sizeBytes() {
        return intAt(4) >>> Short.SIZE;
    }
}
