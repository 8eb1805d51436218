package dev.probestream.collector.internal.resolve;

import dev.probestream.collector.internal.process.Target;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.ResolveException.Reason;
import dev.probestream.collector.probe.preset.ProbeSet;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.stream.Collectors;

/** Finds the probe sets that fit the traced processes, for the message when the requested sets do not fit. */
public final class FittingSets {
    /** A set fits that has one probe of so many: a program may lack some, and may have a function or two of any name. */
    private static final int PART = 3;

    private final Resolver resolver;
    private final Collection<Target> targets;

    /**
     * Borrows the resolver.
     *
     * @param targets the traced processes, at least one
     */
    public FittingSets(Resolver resolver, Collection<Target> targets) {
        this.resolver = resolver;
        this.targets = List.copyOf(targets);
    }

    /** Which sets fit, in words; those of the kernel fit every process and are not meant. */
    public String advice() {
        return "for " + programs() + " there " + fitting();
    }

    private String fitting() {
        List<String> names = ProbeSet.names().stream()
                .map(ProbeSet::named)
                .filter(this::fits)
                .map(ProbeSet::name)
                .toList();
        return names.isEmpty()
                ? "are only syscalls, sched, offcpu and profile"
                : "is --probes " + String.join(" or ", names);
    }

    /** That no probe of these sets, all of them presets, is in the processes. */
    public ResolveException nothingOf(Collection<String> sets) {
        String asked = sets.stream()
                .map(ProbeSet::named)
                .map(set -> set.name() + " (for " + set.fits() + ")")
                .collect(Collectors.joining(", "));
        return new ResolveException(
                Reason.NO_FUNCTION, "none of the probes of " + asked + " is in " + programs() + "; there " + fitting());
    }

    private boolean fits(ProbeSet set) {
        List<ProbeSpec> specs = set.probes().stream()
                .filter(spec -> spec.kind().isInUserSpace())
                .toList();
        int enough = (specs.size() + PART - 1) / PART;
        int found = 0;
        for (ProbeSpec spec : specs) {
            found += targets.stream().anyMatch(target -> isIn(target, spec)) ? 1 : 0;
            if (found == enough) {
                return true;
            }
        }
        return false;
    }

    private boolean isIn(Target target, ProbeSpec spec) {
        try {
            return !resolver.resolve(spec, target).isEmpty();
        } catch (ResolveException e) {
            return false; // which is what was to be found out
        }
    }

    private String programs() {
        List<String> programs = new ArrayList<>();
        for (Target target : targets) {
            programs.add("process " + target.pid() + " (" + resolver.executable(target) + ")");
        }
        return String.join(", ", programs);
    }
}
