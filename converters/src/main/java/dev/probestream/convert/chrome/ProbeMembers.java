package dev.probestream.convert.chrome;

import dev.probestream.convert.shape.ArgumentShape;
import dev.probestream.convert.shape.ProbeShape;
import dev.probestream.convert.timeline.Timeline;

/** What is the same in all events of a probe, written once. */
final class ProbeMembers {
    private final byte[][] namesAndCategories;
    private final byte[][] counterNames;
    private final byte[][] counterArgs;

    ProbeMembers(Timeline timeline) {
        namesAndCategories = new byte[timeline.probeCount()][0];
        counterNames = new byte[timeline.argumentCount()][0];
        counterArgs = new byte[timeline.argumentCount()][0];
    }

    /** {@code "name":"…","cat":"…"} */
    byte[] nameAndCategory(ProbeShape probe) {
        byte[] known = namesAndCategories[probe.index()];
        if (known.length == 0) {
            known = nameAndCategory(probe.name(), probe.category());
            namesAndCategories[probe.index()] = known;
        }
        return known;
    }

    /** The same for the counter that an argument is. */
    byte[] counterName(ProbeShape probe, ArgumentShape argument) {
        byte[] known = counterNames[argument.index()];
        if (known.length == 0) {
            known = nameAndCategory(probe.name() + " " + argument.name(), probe.category());
            counterNames[argument.index()] = known;
        }
        return known;
    }

    /** The member "args" of a counter, up to its value; the name of the value is the counter's unit. */
    byte[] counterArgs(ArgumentShape argument) {
        byte[] known = counterArgs[argument.index()];
        if (known.length == 0) {
            known = counterArgs(argument.unit());
            counterArgs[argument.index()] = known;
        }
        return known;
    }

    static byte[] counterArgs(String unit) {
        JsonBuffer json = new JsonBuffer(64);
        json.raw(JsonBuffer.ascii(",\"args\":{"));
        json.text(unit.isEmpty() ? "value" : unit);
        json.raw(':');
        return json.toByteArray();
    }

    static byte[] nameAndCategory(String name, String category) {
        JsonBuffer json = new JsonBuffer(64);
        json.raw(JsonBuffer.ascii("\"name\":"));
        json.text(name);
        json.raw(JsonBuffer.ascii(",\"cat\":"));
        json.text(category);
        return json.toByteArray();
    }
}
