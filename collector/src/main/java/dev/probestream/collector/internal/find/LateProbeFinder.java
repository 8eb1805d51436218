package dev.probestream.collector.internal.find;

import dev.probestream.bpf.sys.SyscallException;
import dev.probestream.bpf.watch.MappingWatch;
import dev.probestream.collector.internal.process.LaunchedCommand;
import dev.probestream.collector.internal.process.MappedFileWatch;
import dev.probestream.collector.internal.process.ProbedFile;
import dev.probestream.collector.internal.process.TargetProcesses;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.resolve.Resolver;
import dev.probestream.collector.internal.unseen.UnhitProbes;
import dev.probestream.collector.probe.ProbeArgumentException;
import dev.probestream.collector.probe.ResolveException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;

/**
 * Finds the probes of files that processes map while a capture runs: libraries that are loaded, programs executed. Looks
 * when the kernel reports that a process has mapped code, and at intervals in case it does not.
 */
public final class LateProbeFinder implements AutoCloseable {
    private static final long EVERY_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Looks at intervals may take so much of the reader's time: processes with tens of thousands of mappings are looked at less often. */
    private static final int MOST_BUSY = 20;

    private final List<SpecSearch> searches;
    private final Resolver resolver;
    private final Optional<LaunchedCommand> launched;
    private final MappedFileWatch files = new MappedFileWatch();
    private final Set<String> warnings = new LinkedHashSet<>();
    private final Optional<MappingWatch> watch;
    private long nextNs;
    private long earliestNs;
    private boolean hasMapped;
    /** The processes of the last look. */
    private Set<Integer> lookedAt = Set.of();
    /** Whether a process ended: what it mapped after the last look at it was not searched. */
    private boolean hasEnded;

    private long mappedNs = Long.MAX_VALUE;

    /**
     * @param searches of the specs that may have more probes
     * @param resolver borrowed
     * @param launched the command whose process is a shell until it runs, if one was started
     */
    LateProbeFinder(List<SpecSearch> searches, Resolver resolver, Optional<LaunchedCommand> launched) {
        this.searches = List.copyOf(searches);
        this.resolver = resolver;
        this.launched = launched;
        this.watch = searches.isEmpty() ? Optional.empty() : watch();
    }

    private static Optional<MappingWatch> watch() {
        try {
            return Optional.of(MappingWatch.open());
        } catch (SyscallException e) {
            return Optional.empty(); // the looks at intervals remain
        }
    }

    /**
     * Whether it is time to look; never when no spec may have more probes.
     *
     * @param isTarget whether a process is one of those to be looked at
     */
    public boolean isTime(long nowNs, IntPredicate isTarget) {
        if (searches.isEmpty()) {
            return false;
        }
        if (watch.isPresent() && watch.get().hasNew(isTarget)) {
            hasMapped = true;
            mappedNs = Math.min(mappedNs, watch.get().firstNs());
        }
        return nowNs >= nextNs || (hasMapped && nowNs >= earliestNs);
    }

    /** When the first mapping since the last look was made; empty = not known. */
    public OptionalLong mappedNs() {
        return mappedNs == Long.MAX_VALUE ? OptionalLong.empty() : OptionalLong.of(mappedNs);
    }

    /**
     * Looks at processes.
     *
     * @return the probes to be attached now, each with those of its locations that are new
     */
    public List<ResolvedProbe> look(List<Integer> pids) {
        List<ResolvedProbe> found = new ArrayList<>();
        Set<Integer> living = Set.copyOf(pids);
        hasEnded |= !living.containsAll(lookedAt);
        lookedAt = living;
        files.retain(living);
        for (int pid : pids) {
            boolean isHeld = launched.filter(command -> command.pid() == pid && !command.hasStarted())
                    .isPresent();
            List<ProbedFile> mapped = isHeld ? List.of() : files.newFiles(pid);
            if (!mapped.isEmpty()) {
                searches.forEach(search -> look(search, pid, mapped, found));
            }
        }
        resolver.closeIfMany();
        return found;
    }

    /** Ends a look, and delays the next one by how long this one took. */
    public void rest(long startNs, long nowNs) {
        nextNs = nowNs + Math.max(EVERY_NS, MOST_BUSY * (nowNs - startNs));
        earliestNs = nowNs + (nowNs - startNs);
        hasMapped = false;
        mappedNs = Long.MAX_VALUE;
    }

    /** What a user should know, the specs that nothing was found for included: a line for those of one set. */
    public List<String> warnings() {
        List<String> all = new ArrayList<>(warnings);
        Map<String, List<String>> absent = new LinkedHashMap<>();
        searches.stream()
                .filter(search -> search.isPending() && search.misspelled().isEmpty())
                .map(SpecSearch::asked)
                .forEach(spec -> absent.computeIfAbsent(spec.preset().category(), unused -> new ArrayList<>())
                        .add(spec.preset().optional() ? spec.function() : spec.text()));
        boolean isIncomplete = hasEnded
                || lookedAt.stream().anyMatch(TargetProcesses::hasEnded)
                || launched.filter(command -> TargetProcesses.hasEnded(command.pid()))
                        .isPresent();
        absent.forEach((set, names) -> all.add(UnhitProbes.label(set)
                + (isIncomplete
                        ? "attached nowhere, because no file with " + UnhitProbes.list(names)
                                + " was found in the target before it ended"
                        : "attached nowhere, because the target mapped no file with " + UnhitProbes.list(names))));
        return all;
    }

    /** Specs whose library was mapped and has no such function or USDT probe, or one without the arguments asked for. */
    public List<String> misspelled() {
        return searches.stream()
                .filter(search -> !search.asked().preset().optional())
                .flatMap(search -> search.misspelled().stream())
                .toList();
    }

    @Override
    public void close() {
        watch.ifPresent(MappingWatch::close);
    }

    private void look(SpecSearch search, int pid, List<ProbedFile> mapped, List<ResolvedProbe> found) {
        try {
            search.searchMapped(pid, mapped, found::add, warnings::add);
        } catch (ResolveException e) {
            warnings.add(String.valueOf(e.getMessage()));
        } catch (ProbeArgumentException e) {
            search.lacksArgument(e);
            if (search.asked().preset().optional()) {
                warnings.add(String.valueOf(e.getMessage()));
            }
        }
    }
}
