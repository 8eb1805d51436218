package dev.probestream.collector.event;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** What the user should be told, each text once. */
public final class Warnings {
    private static final int MAX_SAID = 1000;

    private final Set<String> said = new HashSet<>();
    private final List<String> waiting = new ArrayList<>();

    public void say(String text) {
        if (said.size() < MAX_SAID && said.add(text)) {
            waiting.add(text);
        }
    }

    /** Those not taken yet. */
    public List<String> take() {
        List<String> taken = List.copyOf(waiting);
        waiting.clear();
        return taken;
    }
}
