package dev.probestream.collector.internal.find;

import dev.probestream.bpf.tracefs.TracepointFormat;
import dev.probestream.collector.internal.event.OwnProbe;
import dev.probestream.collector.internal.process.LaunchedCommand;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.resolve.Resolver;
import dev.probestream.collector.internal.resolve.SyscallFinder;
import dev.probestream.collector.internal.resolve.TracepointFinder;
import dev.probestream.collector.internal.scope.TargetScope;
import dev.probestream.collector.internal.unseen.ForeignContext;
import dev.probestream.collector.internal.unseen.SkippedProbes;
import dev.probestream.collector.probe.PresetTraits;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.ResolveException.Reason;
import dev.probestream.collector.probe.SpanEnds;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Resolves the specs of a request in the target's processes, and numbers the probes from 1. An optional spec that no
 * process has is skipped, with one warning; a spec that later processes or files may have stays pending for a {@link
 * LateProbeFinder}.
 */
public final class ProbeFinder implements AutoCloseable {
    private final TargetScope scope;
    private final Optional<LaunchedCommand> launched;
    private final boolean mayWait;
    private final boolean mayMapLater;
    private final Resolver resolver;
    private final ProbeNumbering numbering = new ProbeNumbering();
    private final List<ResolvedProbe> found = new ArrayList<>();
    private final List<SpecSearch> unfinished = new ArrayList<>();
    private final SkippedProbes skipped = new SkippedProbes();
    private final ForeignContext foreign;

    /**
     * @param launched the command that is held, if one is to be started
     * @param mayWait whether processes are to come, so that a probe no file has is no error
     * @param mayMapLater whether a USDT probe is waited for until a process maps a file that has it
     */
    public ProbeFinder(TargetScope scope, Optional<LaunchedCommand> launched, boolean mayWait, boolean mayMapLater) {
        this.scope = scope;
        this.foreign = new ForeignContext(scope.isEverything());
        this.launched = launched;
        this.mayWait = mayWait;
        this.mayMapLater = mayMapLater;
        this.resolver = new Resolver(launched);
    }

    /** Whether all probes can be attached before the process runs: they are in the kernel, or in files named by their paths. */
    public static boolean areFoundBeforehand(List<ProbeSpec> probes) {
        return probes.stream()
                .flatMap(spec -> spec.attached().stream())
                .allMatch(spec -> !spec.kind().isInUserSpace()
                        || (spec.module().startsWith("/") && Files.exists(Path.of(spec.module()))));
    }

    /** All probes, by ascending id. */
    public List<ResolvedProbe> found() {
        return List.copyOf(found);
    }

    /** The highest id there will be. */
    public int maxProbeId() {
        return numbering.max();
    }

    /** The id of a probe of the collector's own. */
    public int id(OwnProbe probe) {
        return probe.id(maxProbeId());
    }

    /** The search that goes on while the capture runs; uses this finder's open files. */
    public LateProbeFinder late() {
        return new LateProbeFinder(unfinished, resolver, launched);
    }

    /** What was skipped, a line for each preset, what is pending, and the files that could not be read. */
    public List<String> warnings() {
        List<String> warnings = new ArrayList<>(resolver.warnings());
        warnings.addAll(scope.skipped());
        warnings.addAll(skipped.warnings());
        warnings.addAll(foreign.warnings());
        List<String> pending = unfinished.stream()
                .filter(search -> search.isPending() && !search.asked().preset().optional())
                .map(search -> search.asked().text())
                .toList();
        if (!pending.isEmpty()) {
            boolean isOne = pending.size() == 1;
            warnings.add(String.join(", ", pending) + (isOne ? " is" : " are")
                    + " in no file of the target so far; " + (isOne ? "it is" : "each is")
                    + " attached once the target has mapped one that has"
                    + " it (name the file by its path to see hits from its first moment)");
        }
        return warnings;
    }

    /**
     * Resolves all specs.
     *
     * @throws ResolveException when a spec that is not optional cannot be found, or nothing at all is left
     */
    public void find(List<ProbeSpec> specs) throws ResolveException {
        for (ProbeSpec spec : specs) {
            switch (spec.kind()) {
                case UPROBE, URETPROBE, SPAN, USDT, USDTSPAN, USER -> userSpace(spec);
                case PAIR -> pair(spec);
                case TRACEPOINT -> tracepoints(spec);
                case SYSCALL, SYS_EXIT -> syscall(spec, specs);
                case RAWTRACEPOINT, SYSCALLS, SCHED, SIGNALS, PROFILE, PROCESS -> {
                    if (isOfThisProgram(spec, specs)) {
                        kernel(spec, Optional.empty());
                    }
                }
            }
        }
        skipped.conclude(foundCategories(), resolver, scope.searched());
        foreign.conclude(!found.isEmpty());
        if (!unfinished.isEmpty()) {
            numbering.prepareForUsdt();
        }
        numbering.close(unfinished.stream().anyMatch(SpecSearch::needsSpareIds) ? ProbeNumbering.SPARE : 0);
    }

    private Set<String> foundCategories() {
        Set<String> categories = new HashSet<>();
        found.forEach(probe -> categories.add(probe.spec().preset().category()));
        unfinished.forEach(search -> categories.add(search.asked().preset().category()));
        return categories;
    }

    @Override
    public void close() {
        resolver.close();
    }

    /** A probe in the kernel belongs to its set: one that has functions of a program is for that program only. */
    private boolean isOfThisProgram(ProbeSpec spec, List<ProbeSpec> specs) {
        String set = spec.preset().category();
        boolean isForProgram = !set.equals(PresetTraits.USER_CATEGORY)
                && specs.stream().anyMatch(other -> other.preset().category().equals(set) && other.isInUserSpace());
        return !isForProgram || foundCategories().contains(set);
    }

    private void tracepoints(ProbeSpec spec) throws ResolveException {
        for (TracepointFormat format : TracepointFinder.open().formats(spec)) {
            kernel(spec.resolvedTo(format.name()), Optional.of(format));
        }
    }

    private void syscall(ProbeSpec spec, List<ProbeSpec> specs) throws ResolveException {
        try {
            SyscallFinder.require(spec);
        } catch (ResolveException missing) {
            skip(spec, missing);
            return;
        }
        if (isOfThisProgram(spec, specs)) {
            kernel(spec, Optional.empty());
        }
    }

    private void kernel(ProbeSpec spec, Optional<TracepointFormat> format) {
        foreign.add(spec);
        found.add(ResolvedProbe.of(numbering.take(spec.idCount()), spec, format));
    }

    /** Both ends must be there at the start: of a span that no hit could end nothing is recorded. */
    private void pair(ProbeSpec spec) throws ResolveException {
        SpanEnds ends = spec.ends().orElseThrow();
        List<ResolvedProbe> begin = end(ends.begin());
        List<ResolvedProbe> end = end(ends.end());
        foreign.add(ends.begin());
        if (!ends.isByKey()) {
            foreign.add(ends.end());
        }
        found.add(ResolvedProbe.ofPair(numbering.take(spec.idCount()), spec, begin, end));
    }

    private List<ResolvedProbe> end(ProbeSpec spec) throws ResolveException {
        if (spec.kind() == ProbeKind.RAWTRACEPOINT) {
            return List.of(ResolvedProbe.of(0, spec, Optional.empty()));
        }
        if (spec.kind() == ProbeKind.TRACEPOINT) {
            return TracepointFinder.open().formats(spec).stream()
                    .map(format -> ResolvedProbe.of(0, spec, Optional.of(format)))
                    .toList();
        }
        if (scope.isEverything() && spec.module().indexOf('/') < 0) {
            foreign.needsProcess(spec);
        }
        SpecSearch search = new SpecSearch(spec, resolver, scope, numbering);
        List<ResolvedProbe> probes;
        try {
            probes = search.searchTargets();
        } catch (ResolveException missing) {
            probes = mayAppear(spec, missing) && !spec.module().isEmpty() ? search.searchExpected() : List.of();
            if (probes.isEmpty()) {
                throw missing;
            }
        }
        if (probes.isEmpty()) {
            throw new ResolveException(
                    Reason.NO_PROCESS, "resolve " + spec.text() + ": there is no process to look at");
        }
        return probes;
    }

    private void userSpace(ProbeSpec spec) throws ResolveException {
        if (scope.isEverything() && spec.module().indexOf('/') < 0) {
            foreign.needsProcess(spec);
            return;
        }
        SpecSearch search = new SpecSearch(spec, resolver, scope, numbering);
        try {
            found.addAll(search.searchTargets());
            if (!search.isPending() && search.mayFindMore()) {
                unfinished.add(search);
            }
        } catch (ResolveException missing) {
            if (mayAppear(spec, missing)) {
                List<ResolvedProbe> expected = spec.module().isEmpty() ? List.of() : search.searchExpected();
                if (expected.isEmpty()) {
                    search.reserveId();
                }
                found.addAll(expected);
                unfinished.add(search);
            } else {
                skip(spec, missing);
            }
        }
    }

    /**
     * Whether a probe that was not found may be in a file that a process maps later. A name that a file lacks which is there
     * is misspelled, and so is one that a provider lacks which is there.
     */
    private boolean mayAppear(ProbeSpec spec, ResolveException missing) {
        boolean isPath = spec.module().indexOf('/') >= 0;
        boolean isLibrary = !spec.module().isEmpty();
        boolean isFunction = spec.kind().isUserFunction();
        return !isPath
                && switch (missing.reason()) {
                    case NO_FILE -> isFunction ? mayWait && launched.isPresent() : mayWait || isAskedFor(spec);
                    case NO_PROVIDER -> mayWait || isAskedFor(spec);
                    case NO_FUNCTION -> mayWait && !isFunction && !(isLibrary && launched.isPresent());
                    case NO_PROCESS, NOT_PERMITTED, NOT_PROBEABLE, NOT_MEANT, REFUSED -> false;
                };
    }

    /** Whether running processes are waited for until they map a file with the probe: the user has named it. */
    private boolean isAskedFor(ProbeSpec spec) {
        return mayMapLater && !spec.preset().optional();
    }

    private void skip(ProbeSpec spec, ResolveException missing) throws ResolveException {
        boolean isWithoutProvider =
                missing.reason() == Reason.NO_PROVIDER && spec.preset().files().ofProvider();
        if (missing.reason() == Reason.NOT_MEANT || isWithoutProvider) {
            return;
        }
        boolean isAbsent = missing.reason() == Reason.NO_FUNCTION || missing.reason() == Reason.NO_PROVIDER;
        if (!spec.preset().optional() || !isAbsent) {
            throw missing;
        }
        skipped.add(spec);
    }
}
