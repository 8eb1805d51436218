package dev.probestream.cli.doctor;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.collector.ExaminedProcess;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.ResolveException.Reason;
import dev.probestream.collector.probe.preset.ProbeSet;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Checks one process: its executable, the probe sets that match it, and its stacks. */
final class TargetChecks {
    private TargetChecks() {}

    /** @throws ResolveException if there is no such process */
    static List<CheckResult> run(int pid) throws ResolveException {
        List<CheckResult> results = new ArrayList<>();
        try (ExaminedProcess process = ExaminedProcess.open(pid)) {
            results.add(CheckResult.ok("process " + pid, String.join(" ", process.maskedCommandLine())));
            results.add(executable(process));
            results.addAll(sets(process));
            results.addAll(NodeTargetChecks.run(process));
        } catch (ResolveException e) {
            if (e.reason() == Reason.NO_PROCESS) {
                throw e;
            }
            results.add(CheckResult.missing("process " + pid, String.valueOf(e.getMessage()), ""));
        }
        return results;
    }

    private static CheckResult executable(ExaminedProcess process) {
        try (ElfFile elf = process.openExecutable()) {
            return elf.isStripped()
                    ? CheckResult.limited(
                            "executable",
                            process.executable() + " is stripped: only the " + elf.functionCount()
                                    + " functions it exports have names",
                            "install its debug symbols, or run a build that is not stripped; the official binaries of Node.js are not")
                    : CheckResult.ok("executable", process.executable() + ", " + elf.functionCount() + " functions");
        } catch (IOException e) {
            return CheckResult.limited(
                    "executable",
                    process.executable() + " cannot be read as an ELF file: " + e.getMessage(),
                    "only the kernel's probes (syscalls, sched, offcpu, profile, tracepoint:...) can be used");
        }
    }

    private static List<CheckResult> sets(ExaminedProcess process) throws ResolveException {
        List<CheckResult> fitting = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (String name : ProbeSet.names()) {
            ProbeSet set = ProbeSet.named(name);
            if (set.probes().stream().anyMatch(spec -> spec.kind().isInUserSpace())) {
                probes(set, process)
                        .ifPresentOrElse(fitting::add, () -> others.add(name + " (for " + set.fits() + ")"));
            }
        }
        if (fitting.isEmpty()) {
            fitting.add(CheckResult.limited(
                    "probe sets",
                    "none of the probes of " + String.join(", ", others),
                    "use functions of this program: 'list -p " + process.pid() + "' shows them"));
        }
        return fitting;
    }

    /** How many probes of a set the process has; empty if none. */
    private static Optional<CheckResult> probes(ProbeSet set, ExaminedProcess process) throws ResolveException {
        List<String> missing = new ArrayList<>();
        List<String> ofPackage = new ArrayList<>();
        Set<String> slow = new LinkedHashSet<>();
        int found = 0;
        List<ProbeSpec> inUserSpace = set.probes().stream()
                .filter(spec -> spec.kind().isInUserSpace())
                .toList();
        for (ProbeSpec spec : inUserSpace) {
            try {
                process.requireProbe(spec);
                found++;
                slow.addAll(process.singleStepped(spec));
            } catch (ResolveException e) {
                if (e.reason() == Reason.NO_PROCESS) {
                    throw e;
                }
                boolean isOfPackage = e.reason() == Reason.NO_PROVIDER
                        && spec.preset().files().ofProvider();
                if (isOfPackage) {
                    ofPackage.add(spec.function());
                } else if (e.reason() != Reason.NOT_MEANT) {
                    missing.add(spec.function());
                }
            }
        }
        String what = found + " of " + (found + missing.size()) + " probes"
                + (missing.isEmpty() ? "" : "; missing: " + String.join(", ", missing))
                + (ofPackage.isEmpty() ? "" : "; with the npm package also " + String.join(", ", ofPackage))
                + (slow.isEmpty() ? "" : "; single-stepped, about 10 µs a hit: " + String.join(", ", slow));
        return found == 0 ? Optional.empty() : Optional.of(CheckResult.ok(set.name(), what));
    }
}
