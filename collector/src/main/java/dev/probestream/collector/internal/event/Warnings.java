package dev.probestream.collector.internal.event;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Warnings for the user, each text at most once. */
public final class Warnings {
    private static final int MAX_WARNINGS = 1000;

    private final Set<String> seen = new HashSet<>();
    private final List<String> pending = new ArrayList<>();

    public void add(String text) {
        if (seen.size() < MAX_WARNINGS && seen.add(text)) {
            pending.add(text);
        }
    }

    /** Returns the warnings added since the previous call. */
    public List<String> take() {
        List<String> taken = List.copyOf(pending);
        pending.clear();
        return taken;
    }
}
