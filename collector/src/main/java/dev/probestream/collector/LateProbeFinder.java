package dev.probestream.collector;

import dev.probestream.collector.process.LaunchedCommand;
import dev.probestream.collector.process.MappedFileWatch;
import dev.probestream.collector.process.ProbedFile;
import dev.probestream.collector.process.ResolveException;
import dev.probestream.collector.program.UsdtArguments;
import dev.probestream.collector.program.layout.ProbeArgumentException;
import dev.probestream.collector.resolve.ResolvedProbe;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Finds the probes of files that processes map while a capture runs: libraries that are loaded, programs executed. */
final class LateProbeFinder {
    private static final long EVERY_NS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Looking may take so much of the reader's time: processes with tens of thousands of mappings are looked at less often. */
    private static final int MOST_BUSY = 20;

    private final ProbeFinder finder;
    private final TargetScope watch;
    private final @Nullable LaunchedCommand launched;
    private final MappedFileWatch files = new MappedFileWatch();
    private final Set<String> notices = new LinkedHashSet<>();
    private long nextNs;

    /** @param launched the command whose process is a shell until it runs; null = none was started */
    LateProbeFinder(ProbeFinder finder, TargetScope watch, @Nullable LaunchedCommand launched) {
        this.finder = finder;
        this.watch = watch;
        this.launched = launched;
    }

    /** Whether it is time to look; never where no file to come can matter. */
    boolean isTime(long nowNs) {
        return nowNs >= nextNs && !finder.wanted().isEmpty();
    }

    /**
     * Looks at processes.
     *
     * @return what is to be attached now: probes with their ids, each with those of its places that are new
     */
    List<FoundProbe> look(List<Integer> pids) {
        List<FoundProbe> found = new ArrayList<>();
        files.retain(Set.copyOf(pids));
        for (int pid : pids) {
            if (launched == null || launched.pid() != pid || launched.hasStarted()) {
                List<ProbedFile> mapped = files.newFiles(pid);
                if (!mapped.isEmpty()) {
                    finder.wanted().forEach(spec -> look(spec, pid, mapped, found));
                }
            }
        }
        finder.resolver().closeIfMany();
        return found;
    }

    /** Says that looking is over, and how long it took. */
    void rest(long startNs, long nowNs) {
        nextNs = nowNs + Math.max(EVERY_NS, MOST_BUSY * (nowNs - startNs));
    }

    /** What a user should know, the specs that nothing was found for among it. */
    List<String> notices() {
        List<String> all = new ArrayList<>(notices);
        finder.wanted().stream()
                .filter(PendingSpec::isAwaited)
                .forEach(spec -> all.add(spec.asked().text() + " was in no file that the target mapped"));
        return all;
    }

    private void look(PendingSpec wanted, int pid, List<ProbedFile> mapped, List<FoundProbe> found) {
        try {
            List<ResolvedProbe> probes = wanted.find(finder.resolver(), pid, mapped);
            Map<String, List<FoundProbe.Place>> added = wanted.places().add(probes, watch.uprobeScope(pid));
            added.forEach((key, places) -> number(wanted, key, places).ifPresent(found::add));
        } catch (ResolveException | ProbeArgumentException e) {
            notices.add(String.valueOf(e.getMessage()));
        }
    }

    private Optional<FoundProbe> number(PendingSpec wanted, String key, List<FoundProbe.Place> places) {
        Optional<FoundProbe> known = wanted.noted(key);
        if (known.isPresent()) {
            places.stream()
                    .filter(place -> !UsdtArguments.fits(
                            known.get().numbered().spec(),
                            place.location().arguments(),
                            FoundProbe.isOfEnd(known.get().numbered().spec(), place)))
                    .findFirst()
                    .ifPresent(place -> notices.add(known.get().name() + " has wider arguments in "
                            + place.location().file()
                            + " than where it was found first: their upper bits are cut off"));
            return Optional.of(known.get().at(places));
        }
        OptionalInt reserved = wanted.takeReservedId();
        OptionalInt id = reserved.isPresent() ? reserved : finder.ids().takeSpare();
        if (id.isEmpty()) {
            notices.add(
                    "more than " + ProbeIds.SPARE + " USDT probes came while recording; those after them are left out"
                            + " (record again to have them)");
            return Optional.empty();
        }
        FoundProbe probe =
                finder.number(id.getAsInt(), wanted.asked(), wanted.places().probe(key), places);
        wanted.note(key, probe);
        return Optional.of(probe);
    }
}
