package dev.probestream.convert.timeline;

import dev.probestream.convert.request.RequestAssembler;
import dev.probestream.convert.request.RequestHandler;
import dev.probestream.convert.request.origin.Callers;
import dev.probestream.convert.request.plan.LostHits;
import dev.probestream.convert.request.plan.Role;
import dev.probestream.convert.shape.LongMap;
import dev.probestream.convert.shape.ValueStyle;
import dev.probestream.schema.EventView;
import dev.probestream.schema.record.Argument;
import dev.probestream.schema.record.Probe;
import java.util.Collection;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/** What the probes of one capture mean to the assembly of requests and loops. */
public final class CaptureRoles {
    private final List<Probe> probes;
    private final LostHits lost;
    private final boolean hasGaps;
    private final Set<Role> present = EnumSet.noneOf(Role.class);
    private final LongMap<Role> roles = new LongMap<>();

    /** By probe: where among its numbers the argument "loop" is. */
    private final LongMap<Integer> loopPositions = new LongMap<>();

    /**
     * @param lost when hits were lost
     * @param hasGaps whether probes were not watched for a while
     */
    CaptureRoles(Collection<Probe> probes, LostHits lost, boolean hasGaps) {
        this.probes = List.copyOf(probes);
        this.lost = lost;
        this.hasGaps = hasGaps;
        for (Probe probe : probes) {
            Role.ofSpelling(probe.getRole()).ifPresent(role -> add(probe, role));
        }
    }

    private void add(Probe probe, Role role) {
        present.add(role);
        roles.put(probe.getProbeId(), role);
        int position = 0;
        for (Argument argument : probe.getArguments()) {
            if (argument.getName().equals("loop")) {
                loopPositions.put(probe.getProbeId(), position);
            }
            position += ValueStyle.of(argument.getType(), argument.getUnit()) == ValueStyle.TEXT ? 0 : 1;
        }
    }

    /** The sets whose hits make requests: without them, what a connection does is unknown. */
    public Set<String> requestCategories() {
        Set<String> categories = new TreeSet<>();
        for (Probe probe : probes) {
            Role role = roles.get(probe.getProbeId());
            if (role != null && role.isOfConnections()) {
                categories.add(probe.getCategory());
            }
        }
        return categories;
    }

    /** Whether any probe has a role. */
    public boolean areAny() {
        return !present.isEmpty();
    }

    public boolean has(Role role) {
        return present.contains(role);
    }

    /** Null = the event means nothing. */
    @Nullable
    public Role of(EventView event) {
        return roles.get(event.probeId());
    }

    /** The address of the loop that the event names; 0 = it names none. */
    public long loopOf(EventView event) {
        Integer position = loopPositions.get(event.probeId());
        return position == null || position >= event.numberCount() ? 0 : event.number(position);
    }

    /** An assembler with the capture's probes, and the callers of its stacks. */
    public RequestAssembler assembler(RequestHandler handler, Callers callers) {
        RequestAssembler assembler = new RequestAssembler(handler, callers);
        probes.forEach(assembler::probe);
        assembler.lost(lost);
        if (!hasGaps) {
            assembler.trustAbsence();
        }
        return assembler;
    }
}
