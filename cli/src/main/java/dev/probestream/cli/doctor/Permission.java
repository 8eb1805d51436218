package dev.probestream.cli.doctor;

import dev.probestream.bpf.machine.Capability;
import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Collectors;

/** Checks privileges before the first probe is loaded, and explains how to get them. */
public final class Permission {
    /** Supported values of {@code os.arch}. */
    private static final Set<String> MACHINES = Set.of("amd64", "aarch64");

    private Permission() {}

    /**
     * Checks that this process may load and attach probes.
     *
     * @throws CommandException {@link ExitCode#NOT_PERMITTED} with the missing capabilities and how to get them
     */
    public static void toRecord() throws CommandException {
        String architecture = System.getProperty("os.arch");
        if (!MACHINES.contains(architecture)) {
            throw new CommandException(
                    ExitCode.NOT_PERMITTED,
                    "cannot record on " + architecture + ": Probestream supports x86-64 and aarch64 only");
        }
        Set<Capability> missing = missing(Capability.inEffect());
        if (!missing.isEmpty()) {
            throw new CommandException(ExitCode.NOT_PERMITTED, refusal(missing));
        }
    }

    static String refusal(Set<Capability> missing) {
        return "not permitted to attach probes: this process lacks "
                + missing.stream().map(Capability::name).collect(Collectors.joining(" and "))
                + ".\n  Run it as root:              sudo ./probestream ..."
                + "\n  or give it capabilities:     sudo setpriv --reuid=$USER --regid=$(id -g) --init-groups"
                + " --inh-caps=+bpf,+perfmon,+sys_ptrace,+dac_read_search"
                + " --ambient-caps=+bpf,+perfmon,+sys_ptrace,+dac_read_search ./probestream ..."
                + "\n  (bpf and perfmon attach probes, sys_ptrace reads other users' processes, dac_read_search"
                + " reads the kernel's event formats; no sysctl setting replaces them)"
                + "\n  Run 'probestream doctor' for a complete check.";
    }

    /** The capabilities that recording needs and that are not in {@code held}; empty when recording is permitted. */
    public static Set<Capability> missing(Set<Capability> held) {
        // CAP_SYS_ADMIN includes both (include/linux/capability.h: bpf_capable, perfmon_capable).
        if (held.contains(Capability.CAP_SYS_ADMIN)) {
            return EnumSet.noneOf(Capability.class);
        }
        Set<Capability> missing = EnumSet.of(Capability.CAP_BPF, Capability.CAP_PERFMON);
        missing.removeAll(held);
        return missing;
    }
}
