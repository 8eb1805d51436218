package dev.probestream.bpf.internal.syscall;

import dev.probestream.bpf.internal.FileDescriptor;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.internal.Syscalls;
import dev.probestream.bpf.sys.Errno;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/**
 * Opens perf events for uprobes, tracepoints, clocks and mappings, and attaches programs to them.
 *
 * <pre>
 * struct perf_event_attr (PERF_ATTR_SIZE_VER5)
 *   0  4  type             6.. of the uprobe device, PERF_TYPE_TRACEPOINT, or PERF_TYPE_SOFTWARE
 *   4  4  size
 *   8  8  config           uprobes: flags and semaphore, see the device's format folder; tracepoints: the id;
 *                          clocks: PERF_COUNT_SW_CPU_CLOCK; mappings: PERF_COUNT_SW_DUMMY
 *  16  8  sample_freq      clocks: in Hz
 *  24  8  sample_type      mappings: what each record ends with
 *  40  8  flags            bits
 *  56  8  config1          uprobes: pointer to the file's path
 *  64  8  config2          uprobes: file offset
 *  92  4  clockid          mappings: of the records' times
 * </pre>
 */
public final class PerfEvents {
    private static final int ATTR_BYTES = 112;
    private static final int PERF_TYPE_SOFTWARE = 1;
    private static final int PERF_TYPE_TRACEPOINT = 2;
    private static final int PERF_COUNT_SW_CPU_CLOCK = 0;
    private static final int PERF_COUNT_SW_DUMMY = 9;
    private static final int PERF_SAMPLE_TIME = 1 << 2;
    private static final int CLOCK_MONOTONIC = 1; // linux/time.h

    private static final long DISABLED_FLAG = 1;
    private static final long EXCLUDE_IDLE_FLAG = 1 << 7;
    private static final long MMAP_FLAG = 1 << 8;
    private static final long COMM_FLAG = 1 << 9;
    private static final long FREQUENCY_FLAG = 1 << 10;
    private static final long SAMPLE_ID_ALL_FLAG = 1 << 18;
    private static final long MMAP2_FLAG = 1 << 23;
    private static final long COMM_EXEC_FLAG = 1 << 24;
    private static final long USE_CLOCKID_FLAG = 1 << 25;

    // linux/perf_event.h: _IO('$', 0) and _IOW('$', 8, __u32)
    private static final long PERF_EVENT_IOC_ENABLE = 0x2400;
    private static final long PERF_EVENT_IOC_SET_BPF = 0x40042408;

    private static final Path UPROBE_DEVICE = Path.of("/sys/bus/event_source/devices/uprobe");

    /** Where the format folder of {@link #UPROBE_DEVICE} puts the semaphore: config:32-63. */
    private static final int REF_CTR_OFFSET_SHIFT = 32;

    private PerfEvents() {}

    /** The perf type of uprobes, or empty when the kernel has no uprobe device (before 4.17, or not configured). */
    public static Optional<Integer> uprobeType() {
        try {
            return Optional.of(Integer.parseInt(
                    Files.readString(UPROBE_DEVICE.resolve("type")).strip()));
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    /**
     * Opens the event of one uprobe; the kernel puts the breakpoint in place at once.
     *
     * @param uprobeType from {@link #uprobeType}
     * @param fileOffset of the probed instruction, in bytes
     * @param refCtrOffset of the semaphore, in bytes; 0 = none
     * @param pid -1 = every process
     * @return a descriptor or minus an errno
     */
    public static long openUprobe(
            int uprobeType, Path file, long fileOffset, long refCtrOffset, boolean isReturn, int pid) {
        if (refCtrOffset >>> REF_CTR_OFFSET_SHIFT != 0) {
            return -Errno.EOVERFLOW.number();
        }
        // bit 0 of config: format/retprobe of the device
        long config = refCtrOffset << REF_CTR_OFFSET_SHIFT | (isReturn ? 1 : 0);
        NativeMemory attr = attr(uprobeType, config)
                .putPointer(56, NativeMemory.ofString(file.toString()))
                .putLong(64, fileOffset);
        return Syscalls.perfEventOpen(attr, pid, pid == -1 ? 0 : -1);
    }

    /** Opens the event of a tracepoint; its program runs for every process on every CPU. */
    public static FileDescriptor openTracepoint(int tracepointId) {
        long result = Syscalls.perfEventOpen(attr(PERF_TYPE_TRACEPOINT, tracepointId), -1, 0);
        // Which error it is depends on the kernel.
        String advice = Errno.ENOENT.is(result) || Errno.EINVAL.is(result)
                ? "no tracepoint has this id: see the file id in its folder under /sys/kernel/tracing/events"
                : BpfSyscall.advice(result);
        return FileDescriptor.of(result, "open tracepoint " + tracepointId, advice);
    }

    /**
     * Opens the clock of one cpu, disabled; it ticks for every process but not while the cpu is idle.
     *
     * @return a descriptor or minus an errno, ENODEV when the cpu is offline
     */
    public static long openCpuClock(int cpu, int frequencyHz) {
        NativeMemory attr = attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK)
                .putLong(16, frequencyHz)
                .putLong(40, DISABLED_FLAG | EXCLUDE_IDLE_FLAG | FREQUENCY_FLAG);
        return Syscalls.perfEventOpen(attr, -1, cpu);
    }

    /**
     * Opens an event that writes a PERF_RECORD_MMAP, which ends with its time, for each executable mapping that is made on
     * a cpu.
     *
     * @return a descriptor or minus an errno, ENODEV when the cpu is offline
     */
    public static long openMappings(int cpu) {
        return openRecords(cpu, MMAP_FLAG);
    }

    /**
     * Opens an event that writes a PERF_RECORD_MMAP2 for each executable mapping that is made on a cpu, and a
     * PERF_RECORD_COMM for each program that is executed; each record ends with its time.
     *
     * @return a descriptor or minus an errno, ENODEV when the cpu is offline
     */
    public static long openPrograms(int cpu) {
        return openRecords(cpu, MMAP_FLAG | MMAP2_FLAG | COMM_FLAG | COMM_EXEC_FLAG);
    }

    private static long openRecords(int cpu, long recordFlags) {
        NativeMemory attr = attr(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY)
                .putLong(24, PERF_SAMPLE_TIME)
                .putLong(40, recordFlags | SAMPLE_ID_ALL_FLAG | USE_CLOCKID_FLAG)
                .putInt(92, CLOCK_MONOTONIC);
        return Syscalls.perfEventOpen(attr, -1, cpu);
    }

    /**
     * Attaches a program to an event, by a BPF link (since 5.15) or by the older ioctl, which has no cookie. Takes
     * ownership of the event: it is closed with the link, or here when this fails.
     *
     * @param program the number of its descriptor
     * @param name of the program, for messages
     */
    public static PerfEventLink attach(int program, String name, FileDescriptor event, long cookie, boolean byLink) {
        Optional<FileDescriptor> link = Optional.empty();
        try {
            if (byLink) {
                long result = LinkCreation.ofPerfEvent(program, event, cookie);
                String attempt = "link " + name + " to a perf event";
                link = Optional.of(FileDescriptor.of(result, attempt, BpfSyscall.advice(result)));
            } else {
                long result = Syscalls.ioctl(event, PERF_EVENT_IOC_SET_BPF, program);
                Syscalls.check(result, "set " + name + " on a perf event", BpfSyscall.advice(result));
            }
            Syscalls.check(Syscalls.ioctl(event, PERF_EVENT_IOC_ENABLE, 0), "enable a perf event");
            return new PerfEventLink(event, link);
        } catch (RuntimeException e) {
            new PerfEventLink(event, link).close();
            throw e;
        }
    }

    private static NativeMemory attr(int type, long config) {
        return NativeMemory.allocate(ATTR_BYTES)
                .putInt(0, type)
                .putInt(4, ATTR_BYTES)
                .putLong(8, config);
    }

    /** A perf event and the BPF link to it, or the event alone where the program was set by ioctl. */
    public record PerfEventLink(FileDescriptor event, Optional<FileDescriptor> link) implements AutoCloseable {
        @Override
        public void close() {
            try (event) {
                link.ifPresent(FileDescriptor::close);
            }
        }
    }
}
