package dev.probestream.collector;

import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.process.ProbedFile;
import dev.probestream.collector.process.ResolveException;
import dev.probestream.collector.process.Target;
import dev.probestream.collector.resolve.ResolvedProbe;
import dev.probestream.collector.resolve.Resolver;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/** A spec that files yet to be mapped may have probes for, and what was found of it so far. */
final class PendingSpec {
    private final ProbeSpec asked;
    private final ProbeSpec spec;
    private final AttachPointsByProbe places;
    private final Map<String, FoundProbe> numbered = new HashMap<>();
    private OptionalInt reservedId;

    /**
     * @param asked as the user wrote it
     * @param spec what it means, as far as that is known
     * @param places found so far; kept
     * @param reservedId the id of what is found first, if it must not be one of those spared
     */
    PendingSpec(ProbeSpec asked, ProbeSpec spec, AttachPointsByProbe places, OptionalInt reservedId) {
        this.asked = asked;
        this.spec = spec;
        this.places = places;
        this.reservedId = reservedId;
    }

    /** Whether files to come can matter to a spec: those of a USDT probe that may be anywhere, or in a library by name. */
    static boolean mayGrow(ProbeSpec spec) {
        return spec.kind().isUsdt() && spec.module().indexOf('/') < 0;
    }

    ProbeSpec asked() {
        return asked;
    }

    boolean isAwaited() {
        return numbered.isEmpty();
    }

    /** Whether names may come that are not known yet. */
    boolean needsSpareIds() {
        return spec.isGlob() || spec.kind() == ProbeKind.USER;
    }

    AttachPointsByProbe places() {
        return places;
    }

    /** Notes what stands for a probe's key from now on. */
    void note(String key, FoundProbe probe) {
        numbered.put(key, probe);
    }

    /** What was noted for the key. */
    Optional<FoundProbe> noted(String key) {
        return Optional.ofNullable(numbered.get(key));
    }

    /** The id for what is found first; once. */
    OptionalInt takeReservedId() {
        OptionalInt id = reservedId;
        reservedId = OptionalInt.empty();
        return id;
    }

    /** The probes that files have which a process has just mapped; none is no error while the spec is awaited. */
    List<ResolvedProbe> find(Resolver resolver, int pid, List<ProbedFile> files) throws ResolveException {
        if (spec.kind().isUsdt()) {
            List<ProbedFile> meant = spec.module().isEmpty()
                    ? files
                    : files.stream().filter(file -> file.isNamed(spec.module())).toList();
            return resolver.usdtIn(meant, spec);
        }
        if (!isAwaited()) {
            return List.of();
        }
        try {
            return resolver.resolve(spec, Target.of(pid));
        } catch (ResolveException e) {
            boolean mayCome = e.reason() == ResolveException.Reason.NO_FUNCTION
                    || e.reason() == ResolveException.Reason.NOT_MEANT
                    || e.reason() == ResolveException.Reason.NO_FILE
                    || e.reason() == ResolveException.Reason.NO_PROCESS;
            if (mayCome) {
                return List.of();
            }
            throw e;
        }
    }
}
