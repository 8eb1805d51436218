package dev.probestream.collector.internal.capture;

import dev.probestream.collector.cost.Budget;
import dev.probestream.collector.cost.CostReading;
import dev.probestream.collector.internal.budget.BudgetController;
import dev.probestream.collector.internal.budget.CategoryGroups;
import dev.probestream.collector.internal.budget.CategoryOrder;
import dev.probestream.collector.internal.budget.DutyCycle;
import dev.probestream.collector.internal.capture.WatchedCategories.Unwatched;
import dev.probestream.collector.internal.capture.WatchedCategories.Watched;
import dev.probestream.collector.internal.event.OpenSpanReader;
import dev.probestream.collector.internal.kernel.KernelObjects;
import dev.probestream.collector.internal.program.ProgramPlan.PairingMap;
import dev.probestream.collector.publish.EventPublisher;
import dev.probestream.schema.record.Gap;
import dev.probestream.schema.record.GapReason;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.LongFunction;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * Keeps a capture within its {@link Budget}: decides what is watched, and publishes what was not. For the thread that reads
 * the capture; a {@link WatchedCategories} does the rest on another one.
 */
final class CaptureBudget implements AutoCloseable {
    /** Without a limit, what a set may cost: the CPU time that the targets need for themselves, or so many CPUs if that is more. */
    private static final double GUARD_SHARE = 1;

    private static final double GUARD_FREE_CPUS = 0.2;

    /** What all probes together may always cost under a limit. */
    private static final double FREE_CPUS = 0.001;

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
    private final List<String> notices = new ArrayList<>();
    private final List<Limit> limits = new ArrayList<>();
    private final Set<String> reduced = new HashSet<>();
    private CostReading controlled = CostReading.NONE;
    /** Those that were found detached before the ring was read. */
    private Map<Set<String>, Long> leaving = Map.of();

    /** By category: for how long it was not watched, to keep within the budget. */
    private final Map<String, Long> unwatchedNs = new TreeMap<>();

    private long beginNs;

    /** A limit for some groups together. */
    private record Limit(BudgetController controller, Predicate<String> groups) {}

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
        controlled = new CostReading(nowNs, nowNs, 0, List.of());
        if (budget.isLimited() || budget.isGuarded()) {
            List<Set<String>> groups = CategoryGroups.of(
                    categories,
                    pairingMaps.get().stream().map(PairingMap::categories).toList());
            watched.begin(groups, nowNs);
            List<String> order = CategoryOrder.of(groups);
            if (budget.isLimited()) {
                limits.add(new Limit(new BudgetController(budget.share(), FREE_CPUS, order), group -> true));
            } else {
                order.forEach(group -> limits.add(
                        new Limit(new BudgetController(GUARD_SHARE, GUARD_FREE_CPUS, List.of(group)), group::equals)));
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
        if (!limits.isEmpty() && nowNs - controlled.toNs() >= (isFirst() ? FIRST_CONTROL_NS : CONTROL_EVERY_NS)) {
            control(nowNs);
        }
        warnings.addAll(watched.takeFailures());
        List<Unwatched> ended = watched.takeEnded();
        ended.forEach(this::publish);
        watched.takeOpen(nowNs, PUBLISH_GAP_AFTER_NS).forEach(this::publish);
        return watched.takeChanged();
    }

    /** Publishes what is not watched at this moment, up to now; the rest of it follows. */
    void publishOpenGaps(long nowNs) {
        watched.takeOpen(nowNs, 0).forEach(this::publish);
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
        if (!unwatchedNs.isEmpty()) {
            warnings.add(String.format(
                    Locale.ROOT,
                    "not watched all the time, %s: %s%s",
                    reason(),
                    unwatchedNs.entrySet().stream()
                            .map(each -> String.format(
                                    Locale.ROOT,
                                    "%s was watched %.1f %% of it",
                                    each.getKey(),
                                    100.0 - 100.0 * each.getValue() / Math.max(1, endNs - beginNs)))
                            .collect(Collectors.joining(", ")),
                    budget.isLimited()
                            ? ""
                            : "; use a filter or other probes, or --budget off to watch them all the same"));
        }
    }

    private String reason() {
        return budget.isLimited()
                ? String.format(
                        Locale.ROOT,
                        "to stay within the budget of %s %% of the target's CPU time",
                        new DecimalFormat("0.#", DecimalFormatSymbols.getInstance(Locale.ROOT))
                                .format(100 * budget.share()))
                : "as a set would cost the target more CPU time than it needs for itself";
    }

    /** What has changed since this was called the last time, in words for the user. */
    List<String> takeNotices() {
        List<String> taken = List.copyOf(notices);
        notices.clear();
        return taken;
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

    private void control(long nowNs) {
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
        long ownCpuNs = BudgetController.ownCpuNs(
                interval.targetCpuNs(),
                costs.values().stream().mapToLong(ns -> ns).sum());
        Map<String, Double> parts = new LinkedHashMap<>();
        for (Limit limit : limits) {
            Map<String, Long> limited = new HashMap<>(costs);
            limited.keySet().removeIf(limit.groups().negate());
            parts.putAll(limit.controller()
                    .next(new BudgetController.Interval(interval.durationNs(), ownCpuNs, limited, watchedNs)));
        }
        notice(parts);
        watched.watch(parts);
    }

    private void notice(Map<String, Double> parts) {
        String gave = parts.entrySet().stream()
                .filter(part -> part.getValue() < 1 && reduced.add(part.getKey()))
                .map(part -> String.format(Locale.ROOT, "%s %.0f %%", part.getKey(), 100 * part.getValue()))
                .collect(Collectors.joining(", "));
        if (!gave.isEmpty()) {
            notices.add("watched for a part of the time from now on, " + reason() + ": " + gave);
        }
    }

    private void publish(Unwatched unwatched) {
        GapReason reason = budget.isLimited() ? GapReason.BUDGET : GapReason.HIT_RATE;
        for (String category : unwatched.categories()) {
            publisher.publish(new Gap(captureId, category, 0, unwatched.fromNs(), unwatched.toNs(), reason));
            unwatchedNs.merge(category, unwatched.toNs() - unwatched.fromNs(), Long::sum);
        }
    }
}
