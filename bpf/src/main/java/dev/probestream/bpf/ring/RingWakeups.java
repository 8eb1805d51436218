package dev.probestream.bpf.ring;

import dev.probestream.bpf.internal.FileDescriptor;
import dev.probestream.bpf.internal.NativeMemory;
import dev.probestream.bpf.internal.Syscalls;
import dev.probestream.bpf.internal.SystemCall;
import dev.probestream.bpf.map.BpfMap;

/**
 * Waits for samples that a program submits with BPF_RB_FORCE_WAKEUP. Those submitted with BPF_RB_NO_WAKEUP end no wait, also if they have
 * not been read: the ring is watched for edges (EPOLLET), which are the wake-ups of its queue (ringbuf_map_poll_kern,
 * kernel/bpf/ringbuf.c). One thread waits; any thread may stop it.
 *
 * <pre>
 * struct epoll_event of linux/eventpoll.h
 *   0  4  events
 *   4  8  data on x86-64, where the structure is packed; at 8 elsewhere; not used here
 * </pre>
 */
public final class RingWakeups implements AutoCloseable {
    // linux/eventpoll.h, linux/eventfd.h
    private static final int EPOLL_CLOEXEC = 0x80000;
    private static final int EFD_CLOEXEC = 0x80000;
    private static final int EPOLL_CTL_ADD = 1;
    private static final int EPOLLIN = 1;
    private static final int EPOLLET = 1 << 31;
    private static final int EVENT_BYTES = 16;

    private static final int EINTR = 4; // asm-generic/errno-base.h

    private final FileDescriptor epoll;
    private final FileDescriptor stop;
    private final NativeMemory event = NativeMemory.allocate(EVENT_BYTES);
    private volatile boolean isStopped;

    private RingWakeups(FileDescriptor epoll, FileDescriptor stop) {
        this.epoll = epoll;
        this.stop = stop;
    }

    /**
     * Begins to watch the ring. The map stays the caller's.
     *
     * @param ring of type RINGBUF
     * @return what waits; the caller closes it
     * @throws dev.probestream.bpf.sys.SyscallException when the kernel refuses
     */
    public static RingWakeups of(BpfMap ring) {
        FileDescriptor epoll = FileDescriptor.of(
                Syscalls.call(SystemCall.EPOLL_CREATE1, EPOLL_CLOEXEC, 0), "create an epoll instance", "");
        try {
            FileDescriptor stop =
                    FileDescriptor.of(Syscalls.call(SystemCall.EVENTFD2, 0, EFD_CLOEXEC), "create an eventfd", "");
            try {
                watch(epoll, stop.number(), EPOLLIN, stop.toString());
                watch(epoll, ring.descriptorNumber(), EPOLLIN | EPOLLET, ring.toString());
            } catch (RuntimeException e) {
                stop.close();
                throw e;
            }
            return new RingWakeups(epoll, stop);
        } catch (RuntimeException e) {
            epoll.close();
            throw e;
        }
    }

    private static void watch(FileDescriptor epoll, int descriptor, int events, String what) {
        NativeMemory event = NativeMemory.allocate(EVENT_BYTES).putInt(0, events);
        Syscalls.check(
                event.lend(address ->
                        Syscalls.call(SystemCall.EPOLL_CTL, epoll.number(), EPOLL_CTL_ADD, descriptor, address, 0, 0)),
                "watch " + what);
    }

    /**
     * Waits for a sample that wakes.
     *
     * @return whether there may be one; false when the waiting was stopped, or cannot go on
     */
    public boolean await() {
        long count;
        do {
            count = event.lend(address -> Syscalls.call(SystemCall.EPOLL_PWAIT, epoll.number(), address, 1, -1, 0, 0));
        } while (count == -EINTR);
        return count > 0 && !isStopped;
    }

    /** Ends the wait of {@link #await()}, now or when it comes to it. */
    public void stop() {
        isStopped = true;
        NativeMemory one = NativeMemory.allocate(Long.BYTES).putLong(0, 1);
        Syscalls.check(
                one.lend(address -> Syscalls.call(SystemCall.WRITE, stop.number(), address, Long.BYTES)),
                "write to " + stop);
    }

    /** Ceases to watch the ring; when no thread waits. A second time does nothing. */
    @Override
    public void close() {
        try (epoll;
                stop) {
            // both are closed, also if closing the other fails
        }
    }
}
