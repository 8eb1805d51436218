package dev.probestream.collector.internal.find;

import dev.probestream.collector.internal.process.LibraryCache;
import dev.probestream.collector.internal.process.ProbedFile;
import dev.probestream.collector.internal.process.Target;
import dev.probestream.collector.internal.process.TargetProcesses;
import dev.probestream.collector.internal.process.TargetRoot;
import dev.probestream.collector.internal.program.UsdtArguments;
import dev.probestream.collector.internal.resolve.ProbeMatch;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.resolve.Resolver;
import dev.probestream.collector.internal.resolve.UprobeLocation;
import dev.probestream.collector.internal.scope.TargetScope;
import dev.probestream.collector.probe.ProbeArgumentException;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.Consumer;

/**
 * The search for the probes of one spec in user space: first in the processes at the start, then in the files that
 * processes map while the capture runs. Each location counts once. A function of another file is another probe; a USDT
 * probe, or a pair of them, is one probe in all files.
 */
final class SpecSearch {
    private final ProbeSpec asked;
    private final Resolver resolver;
    private final TargetScope scope;
    private final ProbeNumbering numbering;
    /** The first match of each probe, by the probe's key. */
    private final Map<String, ProbeMatch> matches = new LinkedHashMap<>();

    private final Set<List<Object>> knownLocations = new HashSet<>();
    private final Map<String, ResolvedProbe> resolved = new HashMap<>();
    private OptionalInt reservedId = OptionalInt.empty();
    /** Whether what was found is in a file that is not mapped yet, in whose place another may be mapped. */
    private boolean isExpected;

    private Optional<String> misspelled = Optional.empty();
    private Optional<String> lacking = Optional.empty();
    /** The spec as asked, or of its kind once a process has shown whether it is a function or a USDT probe. */
    private ProbeSpec spec;

    SpecSearch(ProbeSpec asked, Resolver resolver, TargetScope scope, ProbeNumbering numbering) {
        this.asked = asked;
        this.resolver = resolver;
        this.scope = scope;
        this.numbering = numbering;
        this.spec = asked;
    }

    ProbeSpec asked() {
        return asked;
    }

    /** Whether nothing was found so far. */
    boolean isPending() {
        return resolved.isEmpty();
    }

    /**
     * Why nothing was found although a process has mapped the library that the spec names, or which argument a probe lacks
     * that was found; empty if neither is so.
     */
    Optional<String> misspelled() {
        return lacking.isPresent() || !isPending() ? lacking : misspelled;
    }

    /** Notes that a probe was found without an argument that the spec asks for. */
    void lacksArgument(ProbeArgumentException e) {
        lacking = Optional.of(String.valueOf(e.getMessage()));
    }

    /** Whether files that are mapped later can add to what was found: a USDT probe in any file, or in a library by its name. */
    boolean mayFindMore() {
        return spec.kind().isUsdt() && spec.module().indexOf('/') < 0;
    }

    /** Whether probes may be found later whose names are not known yet. */
    boolean needsSpareIds() {
        return spec.isGlob() || spec.kind() == ProbeKind.USER || isExpected;
    }

    /** Reserves the id of a probe that is still to be found, if the spec names one probe. */
    void reserveId() {
        reservedId = asked.isGlob() ? OptionalInt.empty() : OptionalInt.of(numbering.take(asked.idCount()));
    }

    /**
     * Searches the processes at the start. One that has ended since is left out, whatever failed when it was looked at.
     *
     * @return the probes that were found, with ids
     * @throws ResolveException when none of the processes has a match
     */
    List<ResolvedProbe> searchTargets() throws ResolveException {
        Map<String, List<UprobeLocation>> locations = new LinkedHashMap<>();
        Optional<ResolveException> missing = Optional.empty();
        for (Target target : scope.searched()) {
            try {
                List<ProbeMatch> found = resolver.resolve(asked, target);
                newLocations(found, target.pid())
                        .forEach((key, added) -> locations
                                .computeIfAbsent(key, unused -> new ArrayList<>())
                                .addAll(added));
                spec = found.get(0).spec();
            } catch (ResolveException e) {
                boolean hasEnded = TargetProcesses.hasEnded(target.pid());
                missing = hasEnded ? missing.or(() -> Optional.of(target.hasExited(e))) : Optional.of(e);
            }
        }
        if (locations.isEmpty() && missing.isPresent()) {
            throw missing.get();
        }
        List<ResolvedProbe> found = new ArrayList<>();
        locations.forEach((key, all) -> found.add(resolve(key, numbering.take(asked.idCount()), all)));
        return found;
    }

    /**
     * Searches the file that the dynamic linker would load by the name in the spec, so that its probes are attached before
     * it is mapped.
     *
     * @return the probes that were found, with ids; none if there is no such file, or it has no such probe
     * @throws ResolveException when the processes cannot be looked at
     */
    List<ResolvedProbe> searchExpected() throws ResolveException {
        Map<String, List<UprobeLocation>> locations = new LinkedHashMap<>();
        for (Target target : scope.searched()) {
            newLocations(expectedIn(target), target.pid())
                    .forEach((key, added) -> locations
                            .computeIfAbsent(key, unused -> new ArrayList<>())
                            .addAll(added));
        }
        List<ResolvedProbe> found = new ArrayList<>();
        locations.forEach((key, all) -> found.add(resolve(key, numbering.take(asked.idCount()), all)));
        isExpected = !found.isEmpty();
        return found;
    }

    private List<ProbeMatch> expectedIn(Target target) {
        try {
            Optional<String> path = LibraryCache.find(TargetRoot.of(target.pid()), asked.module());
            return path.isEmpty()
                    ? List.of()
                    : resolver.resolve(
                            asked.resolvedTo(asked.kind(), path.get(), asked.function(), asked.isGlob()), target);
        } catch (ResolveException | IOException e) {
            return List.of(); // the file that is mapped explains what is missing
        }
    }

    /**
     * Searches files that a process has just mapped.
     *
     * @param found takes probes with those of their locations that are new
     * @throws ResolveException when a match may not be probed; that there is none is no error
     */
    void searchMapped(int pid, List<ProbedFile> files, Consumer<ResolvedProbe> found, Consumer<String> warnings)
            throws ResolveException {
        newLocations(matchesIn(pid, files), pid).forEach((key, locations) -> {
            ResolvedProbe known = resolved.get(key);
            if (known != null) {
                warnOfWiderArguments(known, locations, warnings);
                found.accept(known.at(locations));
                return;
            }
            OptionalInt id = reservedId.isPresent() ? reservedId : numbering.takeSpare();
            if (id.isPresent()) {
                found.accept(resolve(key, id.getAsInt(), locations));
                reservedId = OptionalInt.empty();
            } else {
                warnings.accept("more than " + ProbeNumbering.SPARE
                        + " USDT probes appeared later; the further ones are not attached (start again to have"
                        + " them)");
            }
        });
    }

    private ResolvedProbe resolve(String key, int probeId, List<UprobeLocation> locations) {
        ProbeMatch match = Optional.ofNullable(matches.get(key)).orElseThrow();
        ResolvedProbe probe = numbering.resolved(probeId, asked, match, locations);
        resolved.put(key, probe);
        return probe;
    }

    private List<ProbeMatch> matchesIn(int pid, List<ProbedFile> files) throws ResolveException {
        if (spec.kind().isUsdt()) {
            List<ProbedFile> named = spec.module().isEmpty()
                    ? files
                    : files.stream().filter(file -> file.isNamed(spec.module())).toList();
            List<ProbeMatch> found = resolver.usdtIn(named, spec);
            return found.isEmpty()
                            && !named.isEmpty()
                            && isPending()
                            && !spec.module().isEmpty()
                    ? resolve(pid) // which explains what is missing
                    : found;
        }
        return isPending() || isExpected ? resolve(pid) : List.of();
    }

    private List<ProbeMatch> resolve(int pid) throws ResolveException {
        try {
            return resolver.resolve(spec, Target.of(pid));
        } catch (ResolveException e) {
            return switch (e.reason()) {
                case NO_FUNCTION -> {
                    misspelled =
                            spec.module().isEmpty() ? Optional.empty() : Optional.of(String.valueOf(e.getMessage()));
                    yield List.of();
                }
                case NOT_MEANT, NO_FILE, NO_PROCESS -> List.of();
                case NO_PROVIDER -> {
                    boolean isLibrary = spec.kind().isUsdt() && !spec.module().isEmpty();
                    misspelled = isLibrary ? Optional.of(String.valueOf(e.getMessage())) : Optional.empty();
                    yield List.of();
                }
                case NOT_PERMITTED, NOT_PROBEABLE, REFUSED -> throw e;
            };
        }
    }

    /** The locations that were not known yet, limited to the process if the scope is, by the probe's key. */
    private Map<String, List<UprobeLocation>> newLocations(List<ProbeMatch> found, int pid) {
        int scopePid = scope.uprobeScope(pid);
        Map<String, List<UprobeLocation>> added = new LinkedHashMap<>();
        for (ProbeMatch match : found) {
            String key = key(match);
            matches.putIfAbsent(key, match);
            for (UprobeLocation location : match.locations()) {
                if (knownLocations.add(List.of(key, scopePid, location.fileId(), location.fileOffset()))) {
                    added.computeIfAbsent(key, unused -> new ArrayList<>()).add(location.inProcess(scopePid));
                }
            }
        }
        return added;
    }

    private static String key(ProbeMatch match) {
        if (!match.spec().kind().isUsdt()) {
            return match.module() + '\0' + match.name();
        }
        return match.spec().kind() == ProbeKind.USDTSPAN
                ? match.spec().function()
                : match.locations().get(0).symbol();
    }

    private static void warnOfWiderArguments(
            ResolvedProbe known, List<UprobeLocation> locations, Consumer<String> warnings) {
        locations.stream()
                .filter(location -> !UsdtArguments.fits(known.spec(), location.arguments(), known.isEnd(location)))
                .findFirst()
                .ifPresent(location -> warnings.accept(known.name() + " has wider arguments in " + location.file()
                        + " than where it was found first: their upper bits are cut off"));
    }
}
