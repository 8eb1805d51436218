package dev.probestream.bpf.internal;

import java.util.Locale;

/** The system calls in use, with their numbers on x86-64 (asm/unistd_64.h) and arm64 (asm-generic/unistd.h). */
public enum SystemCall {
    WRITE(1, 64),
    CLOSE(3, 57),
    MMAP(9, 222),
    RT_SIGACTION(13, 134),
    IOCTL(16, 29),
    SOCKET(41, 198),
    SENDTO(44, 206),
    RECVFROM(45, 207),
    KILL(62, 129),
    UNAME(63, 160),
    GETEUID(107, 175),
    MOUNT(165, 40),
    UMOUNT2(166, 39),
    CLOCK_GETTIME(228, 113),
    EPOLL_CTL(233, 21),
    OPENAT(257, 56),
    PPOLL(271, 73),
    EPOLL_PWAIT(281, 22),
    EVENTFD2(290, 19),
    EPOLL_CREATE1(291, 20),
    PERF_EVENT_OPEN(298, 241),
    PRLIMIT64(302, 261),
    SETNS(308, 268),
    MEMFD_CREATE(319, 279),
    BPF(321, 280),
    PIDFD_OPEN(434, 434);

    private static final String OS_ARCH = System.getProperty("os.arch", "").toLowerCase(Locale.ROOT);

    private final int numberOnX8664;
    private final int numberOnArm64;

    SystemCall(int numberOnX8664, int numberOnArm64) {
        this.numberOnX8664 = numberOnX8664;
        this.numberOnArm64 = numberOnArm64;
    }

    /**
     * The number on this machine.
     *
     * @throws UnsupportedOperationException on any other architecture
     */
    int number() {
        return switch (OS_ARCH) {
            case "amd64", "x86_64" -> numberOnX8664;
            case "aarch64", "arm64" -> numberOnArm64;
            default ->
                throw new UnsupportedOperationException("system calls on the CPU architecture '" + OS_ARCH
                        + "' are not supported: use x86-64 or arm64");
        };
    }
}
