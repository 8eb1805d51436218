package dev.probestream.collector.internal.capture;

import dev.probestream.bpf.kernel.Links;
import dev.probestream.bpf.machine.ClockReading;
import dev.probestream.bpf.sys.SyscallException;
import dev.probestream.collector.internal.budget.CategoryGroups;
import dev.probestream.collector.internal.budget.DutyCycle;
import dev.probestream.collector.internal.kernel.KernelObjects;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Watches each category of probes for its part of the time: detaches its programs and attaches them again, on a thread of
 * its own, because both take some time and the reading thread may be held up by its publisher. Categories whose spans are in one
 * map are a group, which is always watched together.
 */
public final class WatchedCategories implements AutoCloseable {
    private static final long NS_PER_MS = 1_000_000;
    private static final long NOT_BEGUN_MS = 20;

    private final KernelObjects kernel;
    private final DutyCycle duty;
    private final Thread thread = new Thread(this::run, "probe-duty");
    // Guarded by this:
    private final Map<String, Group> groups = new TreeMap<>();
    private final List<Unwatched> ended = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();
    private boolean isChanged;
    private boolean hasSwitched;
    private @Nullable Thread reader;
    private boolean isEnding;

    /** The state of a group. */
    private enum State {
        WATCHED,
        /** Its windows are closed and its programs are being detached. */
        LEAVING,
        /** Its open spans were read; it can be attached. */
        AWAY,
        ATTACHING
    }

    /** Categories that are always watched together. Guarded by the object around it. */
    private static final class Group {
        final Set<String> categories;
        State state = State.WATCHED;
        double part = 1;
        /** Since when it is watched, or not; moved on when what was before is taken. */
        long sinceNs;

        /** When its windows were closed the last time. */
        long closedNs;

        long watchedNs;
        long leavingNs;
        /** The kernel does not attach it any more. */
        boolean isGone;

        @Nullable
        Links links;

        Group(Set<String> categories, long nowNs) {
            this.categories = categories;
            this.sinceNs = nowNs;
        }
    }

    /** A time in which categories were not watched. */
    record Unwatched(Set<String> categories, long fromNs, long toNs) {}

    /** What was watched of a category. */
    record Watched(long watchedNs, long leavingNs) {}

    WatchedCategories(KernelObjects kernel, DutyCycle duty) {
        this.kernel = kernel;
        this.duty = duty;
    }

    /**
     * All are watched, from this moment on. The calling thread is woken when that changes: it then reads what the targets
     * have cost until now.
     */
    synchronized void begin(Collection<Set<String>> together, long nowNs) {
        reader = Thread.currentThread();
        together.forEach(categories -> groups.put(CategoryGroups.name(categories), new Group(categories, nowNs)));
        thread.setDaemon(true);
        thread.start();
    }

    /** The name of the group of a category. */
    synchronized String group(String category) {
        return groups.values().stream()
                .filter(group -> group.categories.contains(category))
                .map(group -> CategoryGroups.name(group.categories))
                .findFirst()
                .orElse(category);
    }

    /** From now on each group is watched for this part of the time. */
    synchronized void watch(Map<String, Double> parts) {
        groups.forEach((name, group) -> group.part = group.isGone ? 0 : parts.getOrDefault(name, 1.0));
        isChanged = true;
        notifyAll();
    }

    /** What was watched of each group since this was called the last time. */
    synchronized Map<String, Watched> takeWatched(long nowNs) {
        Map<String, Watched> taken = new HashMap<>();
        groups.forEach((name, group) -> {
            if (group.state == State.WATCHED) {
                group.watchedNs += Math.max(0, nowNs - group.sinceNs);
                group.sinceNs = Math.max(group.sinceNs, nowNs);
            }
            taken.put(name, new Watched(group.watchedNs, group.leavingNs));
            group.watchedNs = 0;
            group.leavingNs = 0;
        });
        return taken;
    }

    /** Whether anything began or ceased to be watched since this was called the last time. */
    synchronized boolean takeChanged() {
        boolean taken = hasSwitched;
        hasSwitched = false;
        return taken;
    }

    /** Times that are over in which categories were not watched. */
    synchronized List<Unwatched> takeEnded() {
        List<Unwatched> taken = List.copyOf(ended);
        ended.clear();
        return taken;
    }

    /** Those that are not watched at this moment; what is taken of a gap here does not come again. */
    synchronized List<Unwatched> takeOpen(long nowNs, long longerThanNs) {
        List<Unwatched> open = new ArrayList<>();
        for (Group group : groups.values()) {
            if (group.state != State.WATCHED && nowNs - group.sinceNs > longerThanNs) {
                open.add(new Unwatched(group.categories, group.sinceNs, nowNs));
                group.sinceNs = nowNs;
            }
        }
        return open;
    }

    /** Why categories could not be attached again, in words for the user. */
    synchronized List<String> takeFailures() {
        List<String> taken = List.copyOf(failures);
        failures.clear();
        return taken;
    }

    /**
     * Groups whose programs have been detached and no longer run, by the moment their windows were closed. Their
     * samples are in the ring, their open spans in the maps; {@link #settled} follows.
     */
    synchronized Map<Set<String>, Long> detached() {
        Map<Set<String>, Long> detached = new LinkedHashMap<>();
        for (Group group : groups.values()) {
            Links links = group.links;
            if (group.state == State.LEAVING && links != null && links.isClosed()) {
                detached.put(group.categories, group.closedNs);
            }
        }
        return detached;
    }

    /** All of what a detached group left was read. */
    synchronized void settled(Set<String> categories, long nowNs) {
        Group group = groups.get(CategoryGroups.name(categories));
        if (group != null && group.state == State.LEAVING) {
            group.state = State.AWAY;
            group.links = null;
            group.leavingNs += nowNs - group.closedNs;
            notifyAll();
        }
    }

    /** Nothing is attached or detached any more when this returns. */
    @Override
    public void close() {
        synchronized (this) {
            isEnding = true;
            notifyAll();
        }
        boolean wasInterrupted = false;
        while (thread.isAlive()) {
            try {
                thread.join();
            } catch (InterruptedException e) {
                wasInterrupted = true;
            }
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private void run() {
        try {
            while (cycle(duty.next())) {
                // until it ends
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (RuntimeException e) {
            synchronized (this) {
                failures.add("the budget is not kept from here on, and what was detached stays detached: " + e);
            }
        }
    }

    /** Watches through one cycle; whether there is a next one. */
    private boolean cycle(DutyCycle.Cycle cycle) throws InterruptedException {
        long beginNs = ClockReading.monotonicNowNs();
        open(cycle);
        long startNs = ClockReading.monotonicNowNs();
        while (true) {
            List<Group> due;
            synchronized (this) {
                if (isEnding) {
                    return false;
                }
                isChanged = false;
                long nowNs = ClockReading.monotonicNowNs();
                due = groups.values().stream()
                        .filter(group -> group.state == State.WATCHED && endNs(group, cycle, startNs) <= nowNs)
                        .toList();
                if (due.isEmpty()) {
                    if (isOver(cycle, beginNs, nowNs)) {
                        return true;
                    }
                    await(nextNs(cycle, beginNs, startNs) - nowNs);
                }
            }
            if (!due.isEmpty() && !shut(due)) {
                // A held command is not executed yet.
                synchronized (this) {
                    wait(NOT_BEGUN_MS);
                }
            }
        }
    }

    private static long endNs(Group group, DutyCycle.Cycle cycle, long startNs) {
        long watchedNs = cycle.watchedNs(group.part);
        return watchedNs == Long.MAX_VALUE ? Long.MAX_VALUE : startNs + watchedNs;
    }

    /** A group that is to be watched all the time need not wait for the end. */
    private boolean isOver(DutyCycle.Cycle cycle, long beginNs, long nowNs) {
        boolean isAwaited = groups.values().stream().anyMatch(group -> group.state == State.AWAY && group.part >= 1);
        boolean isIdle = groups.values().stream().allMatch(group -> group.state == State.WATCHED);
        return isAwaited || (!isIdle && nowNs >= beginNs + cycle.lengthNs());
    }

    private long nextNs(DutyCycle.Cycle cycle, long beginNs, long startNs) {
        long nextNs = Long.MAX_VALUE;
        for (Group group : groups.values()) {
            nextNs = Math.min(
                    nextNs, group.state == State.WATCHED ? endNs(group, cycle, startNs) : beginNs + cycle.lengthNs());
        }
        return nextNs;
    }

    /** Waits until something changes, or for so long; the caller looks again in any case. */
    @SuppressWarnings("WaitNotInLoop") // the caller is the loop
    private void await(long ns) throws InterruptedException {
        if (!isChanged) {
            wait(Math.max(1, Math.min(ns, 3_600_000L * NS_PER_MS) / NS_PER_MS));
        }
    }

    /** Attaches those that are watched in this cycle, and begins to watch them at one moment. */
    private void open(DutyCycle.Cycle cycle) {
        List<Group> taking = new ArrayList<>();
        synchronized (this) {
            for (Group group : groups.values()) {
                if (group.state == State.AWAY && !isEnding && cycle.watchedNs(group.part) > 0) {
                    group.state = State.ATTACHING;
                    taking.add(group);
                }
            }
        }
        List<Group> attached = new ArrayList<>();
        for (Group group : taking) {
            try {
                kernel.putBack(group.categories);
                attached.add(group);
            } catch (SyscallException e) {
                failed(group, String.valueOf(e.getMessage()));
            }
        }
        kernel.resume(categories(attached));
        long nowNs = ClockReading.monotonicNowNs();
        synchronized (this) {
            for (Group group : attached) {
                ended.add(new Unwatched(group.categories, group.sinceNs, nowNs));
                group.state = State.WATCHED;
                group.sinceNs = nowNs;
            }
            if (!attached.isEmpty()) {
                switched();
            }
        }
    }

    private synchronized void failed(Group group, String reason) {
        group.state = State.AWAY;
        group.part = 0;
        group.isGone = true;
        failures.add(String.join(", ", group.categories) + ": not watched any more, because the probes could not be"
                + " attached again: " + reason);
    }

    /** Ceases to watch these, all at one moment, and begins to detach them; false if the capture has not begun. */
    private boolean shut(List<Group> due) {
        long nowNs = ClockReading.monotonicNowNs();
        List<String> categories = categories(due);
        if (!kernel.pause(categories)) {
            return false;
        }
        Links links = kernel.takeAway(categories);
        synchronized (this) {
            for (Group group : due) {
                group.watchedNs += Math.max(0, nowNs - group.sinceNs);
                group.state = State.LEAVING;
                group.sinceNs = nowNs;
                group.closedNs = nowNs;
                group.links = links;
            }
            switched();
        }
        return true;
    }

    private void switched() {
        hasSwitched = true;
        LockSupport.unpark(reader);
    }

    private static List<String> categories(List<Group> groups) {
        return groups.stream().flatMap(group -> group.categories.stream()).toList();
    }
}
