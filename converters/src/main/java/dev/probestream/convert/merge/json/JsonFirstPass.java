package dev.probestream.convert.merge.json;

import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.probestream.convert.merge.track.EventSelection;
import dev.probestream.convert.merge.track.MergedTaskNames;
import java.util.OptionalLong;

/** The first pass over JSON events: adds them to the selection, and collects names. */
public final class JsonFirstPass {
    private static final int NO_PID = -1;

    private final EventSelection selection;
    private final MergedTaskNames names;

    public JsonFirstPass(EventSelection selection, MergedTaskNames names) {
        this.selection = selection;
        this.names = names;
    }

    public void event(ObjectNode members) {
        JsonEvent event = new JsonEvent(members);
        int pid = event.pid().orElse(NO_PID);
        OptionalLong timestampNs = event.timestampNs();
        char phase = event.phase();
        if (phase == 'M') {
            learn(event);
        }
        if (phase == 'M' || timestampNs.isEmpty()) {
            selection.timeless(pid);
            return;
        }
        long atNs = timestampNs.getAsLong();
        switch (phase) {
            case 'B' -> selection.begin(pid, threadKey(event), atNs);
            case 'E' -> selection.end(pid, threadKey(event), atNs);
            case 'b', 'S' -> selection.begin(pid, asyncKey(event), atNs);
            case 'e', 'F' -> selection.end(pid, asyncKey(event), atNs);
            case 'X' -> selection.complete(pid, atNs, atNs + event.durationNs());
            default -> selection.complete(pid, atNs, atNs);
        }
    }

    /** Of what begins and ends on a thread. */
    static String threadKey(JsonEvent event) {
        return "thread " + event.threadText();
    }

    /** Of what begins and ends under an id; that of S, T and F has a name too. */
    static String asyncKey(JsonEvent event) {
        String key = "async " + event.categories() + ' ' + event.asyncId();
        return switch (event.phase()) {
            case 'S', 'T', 'p', 'F' -> key + ' ' + event.name();
            default -> key;
        };
    }

    private void learn(JsonEvent event) {
        String name = event.members().path(JsonEvent.ARGS).path(JsonEvent.NAME).asText("");
        if (event.pid().isEmpty() || name.isEmpty()) {
            return;
        }
        int pid = event.pid().getAsInt();
        if (event.name().equals("process_name")) {
            names.process(pid, name);
        } else if (event.name().equals("thread_name") && event.tid().isPresent()) {
            names.thread(pid, event.tid().getAsInt(), name);
        }
    }
}
