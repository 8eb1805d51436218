package dev.probestream.collector;

import dev.probestream.bpf.tracefs.TracepointFormat;
import dev.probestream.collector.probe.KnownProviders;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.process.LaunchedCommand;
import dev.probestream.collector.process.ResolveException;
import dev.probestream.collector.process.ResolveException.Reason;
import dev.probestream.collector.process.Target;
import dev.probestream.collector.program.NumberedProbe;
import dev.probestream.collector.program.UsdtArguments;
import dev.probestream.collector.resolve.ResolvedProbe;
import dev.probestream.collector.resolve.Resolver;
import dev.probestream.collector.resolve.TracepointFinder;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Finds what the specs of a request mean in the watched processes, and numbers it from 1. What an optional spec asks for
 * and no process has is skipped and named once; what a process may yet have, where some are to come, is awaited.
 */
final class ProbeFinder implements AutoCloseable {
    static final String KERNEL = "kernel";

    private final TargetScope watch;
    private final Optional<LaunchedCommand> launched;
    private final boolean mayAwait;
    private final Resolver resolver;
    private final ProbeIds ids = new ProbeIds();
    private final List<FoundProbe> found = new ArrayList<>();
    private final List<PendingSpec> wanted = new ArrayList<>();
    private final SkippedProbes skipped = new SkippedProbes();
    private @Nullable UsdtArguments usdtArguments;

    /**
     * @param launched the command that is held, if one is to be started
     * @param mayAwait whether processes or files are to come, so that a probe no file has is no error
     */
    ProbeFinder(TargetScope watch, Optional<LaunchedCommand> launched, boolean mayAwait) {
        this.watch = watch;
        this.launched = launched;
        this.mayAwait = mayAwait;
        this.resolver = new Resolver(launched);
    }

    /** All probes, by ascending id. */
    List<FoundProbe> found() {
        return List.copyOf(found);
    }

    /** The highest id there will be. */
    int maxProbeId() {
        return ids.max();
    }

    /** Specs for which files to come matter. */
    List<PendingSpec> wanted() {
        return List.copyOf(wanted);
    }

    Resolver resolver() {
        return resolver;
    }

    ProbeIds ids() {
        return ids;
    }

    /** What was skipped, a line for each preset, what is awaited, and what could not be looked at. */
    List<String> notices() {
        List<String> notices = new ArrayList<>(resolver.notices());
        notices.addAll(skipped.notices());
        wanted.stream()
                .filter(spec -> spec.isAwaited() && !spec.asked().preset().optional())
                .forEach(spec -> notices.add(spec.asked().text()
                        + " is in no file of the target so far; it is attached once the target has mapped one that has"
                        + " it (name the file by its path to see hits from its first moment)"));
        return notices;
    }

    /**
     * Looks for everything.
     *
     * @throws ResolveException when a spec that is not optional cannot be found, or nothing at all is left
     */
    void find(List<ProbeSpec> specs) throws ResolveException {
        for (ProbeSpec spec : specs) {
            switch (spec.kind()) {
                case UPROBE, URETPROBE, SPAN, USDT, USDTSPAN, USER -> userSpace(spec);
                case TRACEPOINT -> tracepoints(spec);
                case RAWTRACEPOINT, SYSCALLS, SCHED, PROFILE -> kernel(spec, Optional.empty());
            }
        }
        skipped.conclude(foundCategories(), resolver, watch.targets());
        if (!wanted.isEmpty()) {
            usdtArguments(); // reading it takes long: not while the ring fills
        }
        ids.close(wanted.stream().anyMatch(PendingSpec::needsSpareIds) ? ProbeIds.SPARE : 0);
    }

    private Set<String> foundCategories() {
        Set<String> categories = new HashSet<>();
        found.forEach(probe -> categories.add(probe.numbered().spec().preset().category()));
        wanted.forEach(spec -> categories.add(spec.asked().preset().category()));
        return categories;
    }

    /**
     * Gives a probe that was found its id.
     *
     * @throws dev.probestream.collector.program.layout.ProbeArgumentException when it lacks an argument that was asked for
     */
    FoundProbe number(int probeId, ProbeSpec asked, ResolvedProbe probe, List<FoundProbe.Place> places) {
        NumberedProbe numbered =
                new NumberedProbe(probeId, probe.spec(), Optional.empty()).withConvention(probe.convention());
        if (probe.spec().kind().isUsdt()) {
            ProbeSpec one = probe.spec().kind() == ProbeKind.USDTSPAN
                    ? probe.spec()
                    : probe.spec().resolvedTo(probe.locations().get(0).symbol());
            ProbeSpec recorded = usdtArguments()
                    .recorded(
                            asked,
                            one,
                            FoundProbe.arguments(one, places, false),
                            FoundProbe.arguments(one, places, true));
            numbered = FoundProbe.usdt(probeId, recorded, places);
        }
        return new FoundProbe(numbered, probe.name(), probe.module(), places);
    }

    @Override
    public void close() {
        resolver.close();
    }

    private UsdtArguments usdtArguments() {
        if (usdtArguments == null) {
            usdtArguments = new UsdtArguments(KnownProviders.load());
        }
        return usdtArguments;
    }

    private void tracepoints(ProbeSpec spec) throws ResolveException {
        for (TracepointFormat format : TracepointFinder.open().formats(spec)) {
            kernel(spec.resolvedTo(format.name()), Optional.of(format));
        }
    }

    private void kernel(ProbeSpec spec, Optional<TracepointFormat> format) {
        String name = spec.displayName(
                switch (spec.kind()) {
                    case TRACEPOINT -> spec.module() + ":" + spec.function();
                    case SYSCALLS, SCHED -> spec.kind().spelling();
                    case PROFILE -> "cpu sample";
                    case RAWTRACEPOINT, UPROBE, URETPROBE, SPAN, USDT, USDTSPAN, USER -> spec.function();
                });
        int id = ids.take(NumberedProbe.idCount(spec.kind()));
        found.add(new FoundProbe(new NumberedProbe(id, spec, format), name, KERNEL, List.of()));
    }

    private void userSpace(ProbeSpec spec) throws ResolveException {
        AttachPointsByProbe places = new AttachPointsByProbe();
        ProbeSpec meant = spec;
        @Nullable ResolveException missing = null;
        for (Target target : watch.targets()) {
            try {
                List<ResolvedProbe> probes = resolver.resolve(spec, target);
                places.add(probes, watch.uprobeScope(target.pid()));
                meant = probes.get(0).spec();
            } catch (ResolveException e) {
                missing = e;
            }
        }
        if (!places.isEmpty()) {
            add(spec, meant, places);
        } else if (missing != null && isAwaited(spec, missing)) {
            boolean isOne = !spec.isGlob();
            OptionalInt id = isOne ? OptionalInt.of(ids.take(1)) : OptionalInt.empty();
            wanted.add(new PendingSpec(spec, spec, places, id));
        } else if (missing != null) {
            skip(spec, missing);
        }
    }

    private void add(ProbeSpec asked, ProbeSpec meant, AttachPointsByProbe places) {
        PendingSpec growing = new PendingSpec(asked, meant, places, OptionalInt.empty());
        places.forEach((key, where) -> {
            FoundProbe probe = number(ids.take(1), asked, places.probe(key), where);
            found.add(probe);
            growing.note(key, probe);
        });
        if (PendingSpec.mayGrow(meant)) {
            wanted.add(growing);
        }
    }

    private boolean isAwaited(ProbeSpec spec, ResolveException missing) {
        boolean mayCome = missing.reason() == Reason.NO_FUNCTION || missing.reason() == Reason.NO_FILE;
        boolean isPath = spec.module().indexOf('/') >= 0;
        boolean isInLibrary = launched.isPresent() && !spec.module().isEmpty();
        return mayAwait && mayCome && !isPath && (!spec.kind().isUserFunction() || isInLibrary);
    }

    private void skip(ProbeSpec spec, ResolveException missing) throws ResolveException {
        if (missing.reason() == Reason.NOT_MEANT) {
            return;
        }
        if (!spec.preset().optional() || missing.reason() != Reason.NO_FUNCTION) {
            throw missing;
        }
        skipped.add(spec);
    }
}
