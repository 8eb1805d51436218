package dev.probestream.collector.internal.unseen;

import dev.probestream.collector.internal.process.TargetProcesses;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/** The processes that traced processes started and that are not traced themselves; for one line at the end. */
public final class UnfollowedChildren {
    /** So many are named; a server may start thousands. */
    private static final int MAX_NAMED = 5;

    /** A child has the name of its parent until it executes its program; so often it is looked for. */
    private static final int MAX_LOOKS = 100;

    private final Map<Integer, Child> named = new LinkedHashMap<>();
    private String parent = "";
    private long count;

    private static final class Child {
        final String forkedAs;
        String name;
        int looks;

        Child(String name) {
            this.forkedAs = name;
            this.name = name;
        }
    }

    /** @param comm the name of both, just after the fork */
    public void started(int parentPid, int pid, String comm) {
        if (count++ == 0) {
            parent = comm + " (" + parentPid + ")";
        }
        if (named.size() < MAX_NAMED) {
            named.put(pid, new Child(comm));
            look();
        }
    }

    /** Asks for the names of those that had not executed a program yet. */
    public void look() {
        named.forEach((pid, child) -> {
            if (child.name.equals(child.forkedAs) && child.looks++ < MAX_LOOKS) {
                TargetProcesses.comm(pid).ifPresent(comm -> child.name = comm);
            }
        });
    }

    /** What is not seen, and the option to see it; empty if there was no such child. */
    public Optional<String> hint() {
        if (count == 0) {
            return Optional.empty();
        }
        look();
        String names = named.entrySet().stream()
                .map(child -> child.getValue().name + " (" + child.getKey() + ")")
                .collect(Collectors.joining(", "));
        long others = count - named.size();
        return Optional.of(parent + " started " + (count == 1 ? "a process that is" : count + " processes that are")
                + " not traced: " + names + (others == 0 ? "" : " and " + others + " more")
                + "; --follow traces children");
    }
}
