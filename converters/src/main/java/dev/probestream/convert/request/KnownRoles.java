package dev.probestream.convert.request;

import java.util.EnumSet;
import java.util.Set;

/** Which parts of a request's time the probes of a capture measure: a part without a probe is unknown, not zero. */
final class KnownRoles {
    private final Set<Role> roles = EnumSet.noneOf(Role.class);
    private boolean hasSwitches;
    private boolean countsSent;

    void add(ProbePlan plan) {
        Role role = plan.role();
        if (role != null) {
            roles.add(role);
            countsSent |= role == Role.STREAM_WRITE && plan.countsBytes();
        }
    }

    void addSwitches() {
        hasSwitches = true;
    }

    boolean has(Role role) {
        return roles.contains(role);
    }

    boolean countsReceived() {
        return has(Role.STREAM_READ);
    }

    boolean countsSent() {
        return countsSent;
    }

    Set<RequestPhase> parts() {
        Set<RequestPhase> parts = EnumSet.of(RequestPhase.UNATTRIBUTED);
        if (has(Role.STREAM_BEGIN) || has(Role.STREAM_READ)) {
            parts.add(RequestPhase.JAVASCRIPT);
        }
        if (has(Role.GC_PAUSE)) {
            parts.add(RequestPhase.GC);
        }
        if (hasSwitches) {
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
        if (has(Role.HTTP_LINE) || has(Role.STREAM_CONNECT)) {
            parts.add(RequestPhase.NETWORK);
        }
        return parts;
    }
}
