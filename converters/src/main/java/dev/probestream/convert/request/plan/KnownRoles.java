package dev.probestream.convert.request.plan;

import dev.probestream.convert.request.split.RequestPhase;
import java.util.EnumSet;
import java.util.Set;

/** Which parts of a request's time the probes of a capture measure: a part without a probe is unknown, not zero. */
public final class KnownRoles {
    private final Set<Role> roles = EnumSet.noneOf(Role.class);
    private boolean hasSwitches;
    private boolean countsSent;
    private boolean hasTotals;
    private boolean hasStreamCallbacks;

    public void add(ProbePlan plan) {
        Role role = plan.role();
        if (role != null) {
            roles.add(role);
            countsSent |= role == Role.STREAM_WRITE && plan.countsBytes();
            boolean isSum = role == Role.DB_STATEMENT || role == Role.WEBSOCKET_CONNECTION;
            hasTotals |= !isSum && plan.has(Field.RECEIVED);
            hasStreamCallbacks |= role == Role.LOOP_CALLBACK && plan.has(Field.STREAM);
        }
    }

    public void addSwitches() {
        hasSwitches = true;
    }

    public boolean has(Role role) {
        return roles.contains(role);
    }

    public boolean countsReceived() {
        return has(Role.STREAM_READ) || has(Role.HTTP2_DATA) || hasTotals;
    }

    /** Whether the end of what is read from a client's connection has a hit, as have the errors. */
    public boolean hasReadings() {
        return has(Role.STREAM_DATA) || has(Role.STREAM_READ) || has(Role.HTTP_READ);
    }

    /** Whether hits have the total that was read from a stream, so that single readings need not be added up. */
    public boolean hasTotals() {
        return hasTotals;
    }

    /** Whether the spans of the loop's callbacks show which stream is handled. */
    public boolean hasStreamCallbacks() {
        return hasStreamCallbacks;
    }

    /** Whether it is known which stream a thread is handling. */
    private boolean hasContext() {
        return has(Role.STREAM_READ) || hasStreamCallbacks;
    }

    public boolean countsSent() {
        return countsSent;
    }

    public Set<RequestPhase> parts() {
        Set<RequestPhase> parts = EnumSet.of(RequestPhase.UNATTRIBUTED);
        if (hasContext()) {
            parts.add(RequestPhase.JAVASCRIPT);
        }
        if (has(Role.GC_PAUSE)) {
            parts.add(RequestPhase.GC);
        }
        if (hasSwitches || has(Role.SCHED_OFF)) {
            parts.add(RequestPhase.OFF_CPU);
        }
        if (has(Role.POOL_WORK)) {
            parts.add(RequestPhase.POOL_RUN);
        }
        if (has(Role.POOL_SUBMIT) && has(Role.POOL_WORK)) {
            parts.add(RequestPhase.POOL_QUEUE);
        }
        if (has(Role.POOL_WORK) && has(Role.POOL_DONE)) {
            parts.add(RequestPhase.LOOP_WAIT);
        }
        if (hasContext() && (has(Role.HTTP_LINE) || has(Role.STREAM_CONNECT) || has(Role.HTTP2_REQUEST))) {
            parts.add(RequestPhase.NETWORK);
        }
        return parts;
    }
}
