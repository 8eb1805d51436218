package dev.probestream.cli.doctor;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.collector.probe.ProbeSet;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.resolve.ResolveException;
import dev.probestream.collector.resolve.ResolveException.Reason;
import dev.probestream.collector.resolve.Resolver;
import dev.probestream.collector.resolve.Target;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** What one process offers: its program, whether it can be probed, and which functions of the probe sets it has. */
final class TargetChecks {
    private TargetChecks() {}

    static List<Finding> examine(int pid) {
        List<Finding> findings = new ArrayList<>();
        try (Resolver resolver = new Resolver()) {
            Target target = Target.of(pid);
            findings.add(Finding.ok("process " + pid, String.join(" ", target.commandLine())));
            findings.add(executable(target));
            for (String name : ProbeSet.names()) {
                ProbeSet set = ProbeSet.named(name);
                if (set.probes().stream().anyMatch(spec -> spec.kind().isUserFunction())) {
                    findings.add(functions(set, target, resolver));
                }
            }
        } catch (ResolveException e) {
            findings.add(Finding.missing("process " + pid, String.valueOf(e.getMessage()), ""));
        }
        return findings;
    }

    private static Finding executable(Target target) {
        try (ElfFile elf = ElfFile.open(target.executableFile())) {
            return elf.isStripped()
                    ? Finding.limited(
                            "executable",
                            target.executable() + " is stripped: only the " + elf.functionCount()
                                    + " functions it exports have names",
                            "run a build that is not stripped; the official binaries of Node.js are not")
                    : Finding.ok("executable", target.executable() + ", " + elf.functionCount() + " functions");
        } catch (IOException e) {
            return Finding.limited(
                    "executable",
                    target.executable() + " cannot be read as an ELF file: " + e.getMessage(),
                    "only the kernel's probes (syscalls, sched, tracepoint:...) can be used");
        }
    }

    private static Finding functions(ProbeSet set, Target target, Resolver resolver) throws ResolveException {
        List<String> missing = new ArrayList<>();
        int found = 0;
        for (ProbeSpec spec : set.probes()) {
            try {
                resolver.resolve(spec, target);
                found++;
            } catch (ResolveException e) {
                if (e.reason() == Reason.NO_PROCESS) {
                    throw e;
                }
                missing.add(spec.function());
            }
        }
        String what = found + " of " + (found + missing.size()) + " functions"
                + (missing.isEmpty() ? "" : "; not " + String.join(", ", missing));
        return found > 0
                ? Finding.ok(set.name(), what)
                : Finding.limited(set.name(), "none of its functions", "it fits processes of Node.js");
    }
}
