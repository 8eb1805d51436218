package dev.probestream.bpf.machine;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/** The capabilities that matter for probing (capabilities(7)), with their numbers in linux/capability.h. */
public enum Capability {
    /** Read other users' files, such as their executables. */
    CAP_DAC_READ_SEARCH(2),
    /** Look into other processes: /proc/PID/root, maps, exe. */
    CAP_SYS_PTRACE(19),
    /** mount(2); before 5.8 also everything of BPF. */
    CAP_SYS_ADMIN(21),
    /** Raise resource limits. */
    CAP_SYS_RESOURCE(24),
    /** See kernel addresses in /proc/kallsyms. */
    CAP_SYSLOG(34),
    /** Attach probes and read kernel memory, since 5.8. */
    CAP_PERFMON(38),
    /** Create maps and load programs, since 5.8. */
    CAP_BPF(39);

    private static final Path STATUS = Path.of("/proc/self/status");

    private final int number;

    Capability(int number) {
        this.number = number;
    }

    /** {@return the effective capabilities of this process} */
    public static Set<Capability> inEffect() {
        try {
            String line = Files.readAllLines(STATUS).stream()
                    .filter(candidate -> candidate.startsWith("CapEff:"))
                    .findFirst()
                    .orElseThrow(() -> new IllegalStateException("no line CapEff in " + STATUS));
            return ofMask(
                    Long.parseUnsignedLong(line.substring("CapEff:".length()).strip(), 16));
        } catch (IOException e) {
            throw new UncheckedIOException("read the capabilities from " + STATUS, e);
        }
    }

    static Set<Capability> ofMask(long mask) {
        Set<Capability> found = EnumSet.noneOf(Capability.class);
        for (Capability capability : values()) {
            if ((mask >>> capability.number & 1) == 1) {
                found.add(capability);
            }
        }
        return found;
    }
}
