package dev.probestream.collector.internal.resolve;

import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.collector.internal.process.ProbedFile;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.ResolveException.Reason;
import dev.probestream.collector.probe.UsdtPair;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * Finds USDT probes by name: in one file, or in all from which a process may run code. A probe that several files have is
 * one probe with the attach points of all of them.
 */
final class UsdtFinder {
    private final Resolver resolver;
    private final Map<ProbedFile, UsdtAttachPoints> files = new LinkedHashMap<>();
    private int unopened;

    private UsdtFinder(Resolver resolver) {
        this.resolver = resolver;
    }

    /** Looks at what a spec's module means: "" for everything mapped. */
    static UsdtFinder of(Resolver resolver, FileFinder finder, String module) throws ResolveException {
        UsdtFinder found = new UsdtFinder(resolver);
        if (module.isEmpty()) {
            List<ProbedFile> mapped = finder.mappedFiles();
            found.unopened = finder.mappedFileCount() - mapped.size();
            return found.addAll(mapped);
        }
        ProbedFile file = finder.find(module);
        Resolver.checkMachine(resolver.open(file, "open " + file.shownPath()), "look at " + file.shownPath());
        found.add(file, resolver.usdtAttachPoints(file));
        return found;
    }

    /** Looks at these files; those that are no ELF files, or another machine's, are passed over. */
    static UsdtFinder of(Resolver resolver, List<ProbedFile> files) {
        return new UsdtFinder(resolver).addAll(files);
    }

    /** The probes that {@code PROVIDER:NAME} means, or the one pair of probes; empty if there is none. */
    List<ProbeMatch> find(ProbeSpec spec) throws ResolveException {
        return spec.kind() == ProbeKind.USDTSPAN ? findPair(spec) : findProbes(spec);
    }

    /** The attach points of both probes in all files that have both. */
    private List<ProbeMatch> findPair(ProbeSpec spec) throws ResolveException {
        UsdtPair pair = UsdtPair.of(spec);
        List<UprobeLocation> locations = new ArrayList<>();
        String module = "";
        for (Map.Entry<ProbedFile, UsdtAttachPoints> file : files.entrySet()) {
            if (file.getValue().names().containsAll(List.of(pair.begin(), pair.end()))) {
                module = module.isEmpty() ? file.getKey().shownPath() : module;
                locations.addAll(locations(file.getKey(), file.getValue(), pair.begin()));
                locations.addAll(locations(file.getKey(), file.getValue(), pair.end()));
            }
        }
        return locations.isEmpty()
                ? List.of()
                : List.of(new ProbeMatch(spec, spec.displayName(pair.name()), module, locations));
    }

    private List<ProbeMatch> findProbes(ProbeSpec spec) throws ResolveException {
        Map<String, List<UprobeLocation>> locations = new LinkedHashMap<>();
        Map<String, String> modules = new LinkedHashMap<>();
        for (Map.Entry<ProbedFile, UsdtAttachPoints> file : files.entrySet()) {
            for (String name : file.getValue().named(spec.function(), spec.isGlob())) {
                modules.putIfAbsent(name, file.getKey().shownPath());
                locations
                        .computeIfAbsent(name, unused -> new ArrayList<>())
                        .addAll(locations(file.getKey(), file.getValue(), name));
            }
        }
        return locations.entrySet().stream()
                .map(probe -> new ProbeMatch(
                        spec,
                        spec.displayName(probe.getKey()),
                        modules.getOrDefault(probe.getKey(), ""),
                        probe.getValue()))
                .toList();
    }

    /** The files that have a probe, as the process sees them. */
    List<String> filesWith(String name) {
        return files.entrySet().stream()
                .filter(file -> file.getValue().names().contains(name))
                .map(file -> file.getKey().shownPath())
                .toList();
    }

    /** How many files were looked at. */
    int fileCount() {
        return files.size();
    }

    /** How many files the process has mapped that we may not open. */
    int unopenedCount() {
        return unopened;
    }

    /** All names in all the files. */
    Set<String> names() {
        Set<String> names = new TreeSet<>();
        files.values().forEach(attachPoints -> names.addAll(attachPoints.names()));
        return names;
    }

    private UsdtFinder addAll(List<ProbedFile> found) {
        found.forEach(file -> resolver.usdtAttachPointsIfAny(file).ifPresent(attachPoints -> add(file, attachPoints)));
        return this;
    }

    private void add(ProbedFile file, UsdtAttachPoints attachPoints) {
        Optional<ProbedFile> same = files.keySet().stream()
                .filter(other -> other.id().equals(file.id()))
                .findFirst();
        if (same.isEmpty()) {
            files.put(file, attachPoints);
        }
    }

    private static List<UprobeLocation> locations(ProbedFile file, UsdtAttachPoints attachPoints, String name)
            throws ResolveException {
        try {
            return attachPoints.locations(name, file);
        } catch (IOException e) {
            throw new ResolveException(
                    Reason.NOT_PROBEABLE,
                    "look up the symbols of USDT probe " + name + " in " + file.shownPath() + ": " + ProcFile.reason(e),
                    e);
        }
    }
}
