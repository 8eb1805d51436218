package dev.probestream.collector.internal.capture;

import dev.probestream.collector.cost.Budget;
import dev.probestream.collector.cost.CostReading;
import dev.probestream.collector.internal.budget.BudgetController;
import dev.probestream.collector.internal.budget.CategoryGroups;
import dev.probestream.collector.internal.budget.CategoryOrder;
import dev.probestream.collector.internal.budget.DutyCycle;
import dev.probestream.collector.internal.budget.HitRateGuard;
import dev.probestream.collector.internal.capture.WatchedCategories.Unwatched;
import dev.probestream.collector.internal.capture.WatchedCategories.Watched;
import dev.probestream.collector.internal.event.OpenSpanReader;
import dev.probestream.collector.internal.kernel.KernelObjects;
import dev.probestream.collector.internal.program.ProgramPlan.PairingMap;
import dev.probestream.collector.probe.PresetTraits;
import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.GapReason;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Keeps a capture within its {@link Budget}: decides what is watched, and publishes what was not. For the thread that reads
 * the capture; a {@link WatchedCategories} does the rest on another one.
 */
final class CaptureBudget implements AutoCloseable {
    /** Of what the guard takes away: it is still attached. */
    private static final long NOT_YET = -1;

    private static final long GUARD_EVERY_NS = 500_000_000L;
    private static final long CONTROL_EVERY_NS = 1_000_000_000L;

    /** Until then all is watched, whatever it costs. */
    private static final long FIRST_CONTROL_NS = 300_000_000L;

    /** A gap is also published while it lasts, for readers that follow the capture. */
    private static final long PUBLISH_GAP_AFTER_NS = 10_000_000_000L;

    /** Of the time that detaching takes the programs are attached for about this part. */
    private static final double STILL_ATTACHED = 0.45;

    private final long captureId;
    private final Budget budget;
    private final KernelObjects kernel;
    private final EventPublisher publisher;
    private final LongFunction<CostReading> cost;
    private final OpenSpanReader openSpans;
    private final Supplier<List<PairingMap>> pairingMaps;
    private final WatchedCategories watched;
    private final List<String> warnings = new ArrayList<>();
    /** What the guard took away, by probe or set. */
    private final Map<Removed, Long> removedSinceNs = new LinkedHashMap<>();

    private @Nullable BudgetController controller;
    private CostReading guarded = CostReading.NONE;
    private CostReading controlled = CostReading.NONE;
    /** Those that were found detached before the ring was read. */
    private Map<Set<String>, Long> leaving = Map.of();

    /** By category: for how long it was not watched, to keep within the budget. */
    private final Map<String, Long> unwatchedNs = new TreeMap<>();

    private long beginNs;

    /**
     * What the guard took away.
     *
     * @param probeId 0 = all probes of the category
     */
    private record Removed(String category, int probeId) {}

    /**
     * @param cost what the capture cost from its beginning to a moment
     * @param pairingMaps the maps of open spans, at any time
     */
    CaptureBudget(
            long captureId,
            Budget budget,
            KernelObjects kernel,
            EventPublisher publisher,
            LongFunction<CostReading> cost,
            OpenSpanReader openSpans,
            Supplier<List<PairingMap>> pairingMaps) {
        this.captureId = captureId;
        this.budget = budget;
        this.kernel = kernel;
        this.publisher = publisher;
        this.cost = cost;
        this.openSpans = openSpans;
        this.pairingMaps = pairingMaps;
        this.watched = new WatchedCategories(kernel, new DutyCycle(new SplittableRandom()));
    }

    /** The windows have been opened. */
    void begin(long nowNs, Collection<String> categories) {
        beginNs = nowNs;
        guarded = new CostReading(nowNs, nowNs, 0, List.of());
        controlled = guarded;
        if (budget.isLimited() || budget.isGuarded()) {
            List<Set<String>> groups = CategoryGroups.of(
                    categories,
                    pairingMaps.get().stream().map(PairingMap::categories).toList());
            watched.begin(groups, nowNs);
            if (budget.isLimited()) {
                controller = new BudgetController(budget.share(), CategoryOrder.of(groups));
            }
        }
    }

    /** Before the ring is read: what is detached by now has all of its samples in the ring. */
    void beforeReading() {
        leaving = watched.detached();
    }

    /**
     * Does what is due.
     *
     * @param isRead whether the ring was read to its end
     * @return whether another part of the probes is watched than before
     */
    boolean turn(long nowNs, boolean isRead) {
        if (isRead && !leaving.isEmpty()) {
            settle(nowNs);
        }
        if (budget.isGuarded() && !budget.isLimited() && nowNs - guarded.toNs() >= GUARD_EVERY_NS) {
            guard(nowNs);
        }
        BudgetController limited = controller;
        if (limited != null && nowNs - controlled.toNs() >= (isFirst() ? FIRST_CONTROL_NS : CONTROL_EVERY_NS)) {
            control(limited, nowNs);
        }
        warnings.addAll(watched.takeFailures());
        List<Unwatched> ended = watched.takeEnded();
        ended.forEach(this::publish);
        watched.takeOpen(nowNs, PUBLISH_GAP_AFTER_NS).forEach(this::publish);
        publishRemoved(nowNs, PUBLISH_GAP_AFTER_NS);
        return watched.takeChanged();
    }

    /** The capture ends next: nothing is attached or detached any more. */
    void stop() {
        watched.close();
    }

    /**
     * All programs are detached and the ring is read: the spans of those that were not watched at the end, and their gaps.
     *
     * @param endNs when all windows were closed
     */
    void end(long endNs) {
        leaving = watched.detached();
        settle(endNs);
        watched.takeEnded().forEach(this::publish);
        watched.takeOpen(endNs, 0).forEach(this::publish);
        publishRemoved(endNs, 0);
        if (!unwatchedNs.isEmpty()) {
            warnings.add(String.format(
                    Locale.ROOT,
                    "not watched all the time, to stay within the budget of %s %% of the target's CPU time: %s",
                    new DecimalFormat("0.#", DecimalFormatSymbols.getInstance(Locale.ROOT))
                            .format(100 * budget.share()),
                    unwatchedNs.entrySet().stream()
                            .map(each -> String.format(
                                    Locale.ROOT,
                                    "%s was watched %.1f %% of it",
                                    each.getKey(),
                                    100.0 - 100.0 * each.getValue() / Math.max(1, endNs - beginNs)))
                            .collect(Collectors.joining(", "))));
        }
    }

    /** What was not watched, in words for the user. */
    List<String> warnings() {
        return List.copyOf(warnings);
    }

    @Override
    public void close() {
        watched.close();
    }

    private boolean isFirst() {
        return controlled.toNs() == beginNs;
    }

    private void settle(long nowNs) {
        leaving.forEach((categories, closedNs) -> {
            List<PairingMap> maps = pairingMaps.get().stream()
                    .filter(pairing -> pairing.categories().stream().anyMatch(categories::contains))
                    .toList();
            openSpans.take(maps, kernel.maps(), closedNs);
            openSpans.interrupt(Set.copyOf(categories), closedNs);
            watched.settled(categories, nowNs);
        });
        leaving = Map.of();
    }

    private void guard(long nowNs) {
        CostReading reading = cost.apply(nowNs);
        CostReading interval = reading.since(guarded);
        guarded = reading;
        for (HitRateGuard.Finding finding : HitRateGuard.find(interval)) {
            CostReading.OfProbe probe = finding.probe();
            Removed gone = new Removed(
                    probe.category(), PresetTraits.USER_CATEGORY.equals(probe.category()) ? probe.probeId() : 0);
            if (removedSinceNs.putIfAbsent(gone, NOT_YET) == null) {
                watched.exclude(gone.category(), idsToExclude(gone));
                warnings.add(warning(gone, probe.name(), finding.reason()));
            }
        }
    }

    private static String warning(Removed gone, String probe, String reason) {
        String what = gone.probeId() == 0 ? "the set " + gone.category() : probe + " (" + gone.category() + ")";
        String which = gone.probeId() == 0 ? "its probe " + probe + ": " : "";
        return what + " was taken away: " + which + reason
                + "; what happened later is not in the recording. Use a filter,"
                + " --budget 3%, or --budget off to watch it all the same";
    }

    /**
     * A set is taken away as a whole: with some of its probes only, what they show together (such as a request and its
     * answer) would be wrong. Probes that the user named are independent.
     */
    private List<Integer> idsToExclude(Removed gone) {
        if (gone.probeId() != 0) {
            return List.of(gone.probeId());
        }
        return kernel.programs().stream()
                .map(KernelObjects.LoadedProgram::planned)
                .filter(planned -> planned.category().equals(gone.category()))
                .flatMap(planned -> planned.probeIds().stream())
                .distinct()
                .toList();
    }

    private void control(BudgetController limited, long nowNs) {
        CostReading reading = cost.apply(nowNs);
        CostReading interval = reading.since(controlled);
        controlled = reading;
        Map<String, Watched> times = watched.takeWatched(nowNs);
        Map<String, Long> costs = new HashMap<>();
        Map<String, Long> traps = new HashMap<>();
        for (CostReading.OfProbe probe : interval.probes()) {
            String group = watched.group(probe.category());
            costs.merge(group, probe.ns(), Long::sum);
            traps.merge(group, probe.trapNs(), Long::sum);
        }
        Map<String, Long> watchedNs = new HashMap<>();
        times.forEach((group, time) -> {
            watchedNs.put(group, time.watchedNs());
            double trapRate = time.watchedNs() == 0 ? 0 : traps.getOrDefault(group, 0L) / (double) time.watchedNs();
            costs.merge(group, Math.round(trapRate * STILL_ATTACHED * time.leavingNs()), Long::sum);
        });
        watched.watch(limited.next(
                new BudgetController.Interval(interval.durationNs(), interval.targetCpuNs(), costs, watchedNs)));
    }

    private void publish(Unwatched unwatched) {
        for (String category : new LinkedHashSet<>(unwatched.categories())) {
            publisher.publish(
                    new Gap(captureId, category, 0, unwatched.fromNs(), unwatched.toNs(), unwatched.reason()));
            if (unwatched.reason() == GapReason.BUDGET) {
                unwatchedNs.merge(category, unwatched.toNs() - unwatched.fromNs(), Long::sum);
            }
        }
        if (unwatched.reason() == GapReason.HIT_RATE) {
            // The others are attached again; what was taken away stays so.
            removedSinceNs.replaceAll(
                    (gone, sinceNs) -> unwatched.categories().contains(gone.category()) && sinceNs == NOT_YET
                            ? unwatched.toNs()
                            : sinceNs);
        }
    }

    private void publishRemoved(long nowNs, long longerThanNs) {
        removedSinceNs.replaceAll((gone, sinceNs) -> {
            if (sinceNs == NOT_YET || nowNs - sinceNs <= longerThanNs) {
                return sinceNs;
            }
            publisher.publish(new Gap(captureId, gone.category(), gone.probeId(), sinceNs, nowNs, GapReason.HIT_RATE));
            return nowNs;
        });
    }
}
