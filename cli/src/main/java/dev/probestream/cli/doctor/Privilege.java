package dev.probestream.cli.doctor;

import dev.probestream.bpf.machine.Capability;
import java.util.EnumSet;
import java.util.Set;

/** Which capabilities recording needs. */
public final class Privilege {
    private Privilege() {}

    /** What is needed to load and attach probes and not among {@code held}; empty when recording is permitted. */
    public static Set<Capability> missing(Set<Capability> held) {
        // The old almighty capability includes the newer ones (include/linux/capability.h: bpf_capable,
        // perfmon_capable).
        if (held.contains(Capability.CAP_SYS_ADMIN)) {
            return EnumSet.noneOf(Capability.class);
        }
        Set<Capability> missing = EnumSet.of(Capability.CAP_BPF, Capability.CAP_PERFMON);
        missing.removeAll(held);
        return missing;
    }
}
