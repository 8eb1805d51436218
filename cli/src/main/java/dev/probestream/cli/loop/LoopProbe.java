package dev.probestream.cli.loop;

import dev.probestream.convert.request.plan.Role;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.EventKind;
import dev.probestream.schema.record.Probe;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The meaning of the hits of one probe, from its record. */
final class LoopProbe {
    /** What a hit is. */
    enum Meaning {
        /** A loop begins to wait. */
        POLL_ENTRY,
        /** A loop has waited, and called back what was ready. */
        POLL,
        /** One of a loop's other phases. */
        PHASE,
        /** Something that ran in a phase. */
        WORK,
        /** A loop begins to run, or has run out of work: it ends a phase. */
        RUN
    }

    private static final int ABSENT = -1;

    private final int id;
    private final String name;
    private final Meaning meaning;
    private final int loopArgument;
    /** The argument with the detail: a text such as a path, or a labelled number such as a reason. */
    private final int detailText;

    private final int detailNumber;
    private final Map<Long, String> detailLabels = new TreeMap<>();

    LoopProbe(Probe probe) {
        this.id = probe.getProbeId();
        this.name = probe.getName();
        int loop = ABSENT;
        int text = ABSENT;
        int labelled = ABSENT;
        int numbers = 0;
        int texts = 0;
        List<Argument> arguments = probe.getArguments();
        for (Argument argument : arguments) {
            boolean isText = argument.getType().startsWith("str");
            int place = isText ? texts++ : numbers++;
            if (isText && text == ABSENT) {
                text = place;
            }
            if (argument.getName().equals("loop")) {
                loop = place;
            }
            if (labelled == ABSENT && argument.getName().equals("reason")) {
                labelled = place;
                argument.getLabels().forEach((value, label) -> detailLabels.put(Long.valueOf(value), label));
            }
        }
        this.loopArgument = loop;
        this.detailText = text;
        this.detailNumber = labelled;
        this.meaning = meaning(probe);
    }

    private static Meaning meaning(Probe probe) {
        if (probe.getKind() != EventKind.SPAN) {
            return probe.getSpec().equals(LoopProbes.POLL_ENTRY_SPEC) ? Meaning.POLL_ENTRY : Meaning.RUN;
        }
        String role = probe.getRole();
        if (role.equals(Role.LOOP_POLL.spelling())) {
            return Meaning.POLL;
        }
        return role.equals(Role.LOOP_PHASE.spelling()) ? Meaning.PHASE : Meaning.WORK;
    }

    /** Small; in the order of the presets. */
    int id() {
        return id;
    }

    String name() {
        return name;
    }

    Meaning meaning() {
        return meaning;
    }

    /** The address of the loop; 0 if the probe does not record it. */
    long loop(EventView event) {
        return loopArgument == ABSENT ? 0 : event.number(loopArgument);
    }

    /** The detail, such as a path; "" if there is none. */
    String detail(EventView event) {
        if (detailText != ABSENT) {
            return event.string(detailText);
        }
        return detailNumber == ABSENT ? "" : detailLabels.getOrDefault(event.number(detailNumber), "");
    }
}
