package dev.probestream.collector.internal.scope;

import dev.probestream.bpf.tracefs.TracepointField;
import dev.probestream.bpf.tracefs.TracepointFormat;
import dev.probestream.collector.internal.program.options.PidNamespace;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.Filter;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What a user inside a container should know of ids that are still the host's: those of threads that the container does
 * not contain, and those in the fields of tracepoints.
 */
public final class HostIds {
    private static final Pattern ID_FIELD = Pattern.compile("(.*_)?(pid|tid|tgid)");

    /** The arguments of system calls are the caller's own numbers. */
    private static final String SYSCALLS_CATEGORY = "syscalls";

    private HostIds() {}

    public static List<String> warnings(TargetScope scope, List<ResolvedProbe> probes) {
        List<String> warnings = new ArrayList<>();
        if (scope.namespace().isInitial()) {
            return warnings;
        }
        TargetFilter.Mode mode = scope.filter().mode();
        boolean isWithOthers = mode == TargetFilter.Mode.CGROUP
                || mode == TargetFilter.Mode.EVERY_PROCESS
                || probes.stream()
                        .map(probe -> probe.spec().kind())
                        .anyMatch(kind -> kind == ProbeKind.SCHED || kind == ProbeKind.SIGNALS);
        if (isWithOthers) {
            warnings.add("threads outside this pid namespace are shown with their id on the host plus "
                    + PidNamespace.OUTSIDE);
        }
        for (ResolvedProbe probe : probes) {
            Set<String> fields = new TreeSet<>();
            probe.attached().forEach(attached -> fields.addAll(fields(attached)));
            if (!fields.isEmpty()) {
                warnings.add(probe.spec().text() + ": " + String.join(", ", fields)
                        + (fields.size() == 1 ? " holds ids" : " hold ids")
                        + " of the host, not of this pid namespace");
            }
        }
        return warnings;
    }

    /** The fields that are recorded or compared. */
    private static Set<String> fields(ResolvedProbe probe) {
        Set<String> names = new TreeSet<>();
        ProbeSpec spec = probe.spec();
        if (spec.kind() != ProbeKind.TRACEPOINT || spec.module().equals(SYSCALLS_CATEGORY)) {
            return names;
        }
        Stream<String> recorded = spec.arguments().isEmpty()
                ? probe.format().map(TracepointFormat::fields).stream()
                        .flatMap(List::stream)
                        .map(TracepointField::name)
                : spec.arguments().stream().map(HostIds::field);
        Stream<String> compared = spec.filter().map(Filter::arguments).stream()
                .flatMap(List::stream)
                .map(HostIds::field);
        Stream.concat(recorded, compared)
                .filter(name -> ID_FIELD.matcher(name).matches())
                .forEach(names::add);
        return names;
    }

    private static String field(ArgumentSpec argument) {
        return argument.source().field();
    }
}
