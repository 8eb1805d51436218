package dev.probestream.cli.privilege;

/** The capabilities that recording can make use of; the bits are those of {@code linux/capability.h}. */
public enum Capability {
    /** Reads files that other users own: event formats in tracefs, executables of other users. */
    CAP_DAC_READ_SEARCH(2),
    /** Looks into processes of other users: their executable, memory map and threads. */
    CAP_SYS_PTRACE(19),
    /** The old way to be allowed everything below; also needed to mount tracefs. */
    CAP_SYS_ADMIN(21),
    /** Raises RLIMIT_MEMLOCK, which kernels before 5.11 charge maps to. */
    CAP_SYS_RESOURCE(24),
    /** Attaches probes and reads what programs may read (5.8 and newer). */
    CAP_PERFMON(38),
    /** Loads programs and creates maps (5.8 and newer). */
    CAP_BPF(39);

    private final int bit;

    Capability(int bit) {
        this.bit = bit;
    }

    long mask() {
        return 1L << bit;
    }
}
