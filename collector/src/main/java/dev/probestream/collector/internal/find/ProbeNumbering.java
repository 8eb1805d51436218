package dev.probestream.collector.internal.find;

import dev.probestream.collector.internal.program.UsdtArguments;
import dev.probestream.collector.internal.resolve.ProbeMatch;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.resolve.UprobeLocation;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.provider.KnownProviders;
import java.util.List;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/**
 * Makes resolved probes of matches: gives them ids, from 1, and decides which arguments of USDT probes are recorded. The
 * kernel's array of losses is as long as the highest id once the programs are loaded: a probe that is found later can only
 * have a spare id.
 */
public final class ProbeNumbering {
    /** How many probes a glob may add while a capture runs. */
    public static final int SPARE = 64;

    private int next = 1;
    private int max = Integer.MAX_VALUE;
    private @Nullable UsdtArguments usdtArguments;

    /** The first of {@code count} consecutive ids. */
    int take(int count) {
        int first = next;
        next += count;
        return first;
    }

    /** Ends the search in the processes at the start: from here on only spare ids are given. */
    void close(int spare) {
        max = next - 1 + spare;
    }

    /** A spare id, while there are any. */
    OptionalInt takeSpare() {
        return next <= max ? OptionalInt.of(take(1)) : OptionalInt.empty();
    }

    /** The highest id there will be, once {@link #close} was called. */
    int max() {
        return max;
    }

    /**
     * The probe of a match.
     *
     * @param locations its locations in all processes so far
     * @throws dev.probestream.collector.probe.ProbeArgumentException when it lacks an argument that was asked for
     */
    ResolvedProbe resolved(int probeId, ProbeSpec asked, ProbeMatch match, List<UprobeLocation> locations) {
        ResolvedProbe probe = ResolvedProbe.of(probeId, match, locations);
        if (!match.spec().kind().isUsdt()) {
            return probe;
        }
        ProbeSpec one = match.spec().kind() == ProbeKind.USDTSPAN
                ? match.spec()
                : match.spec().resolvedTo(match.locations().get(0).symbol());
        return probe.recording(
                usdtArguments().recorded(asked, one, probe.usdtArguments(false), probe.usdtArguments(true)));
    }

    /** Reads the known providers, which takes long, before the ring fills. */
    void prepareForUsdt() {
        usdtArguments();
    }

    private UsdtArguments usdtArguments() {
        if (usdtArguments == null) {
            usdtArguments = new UsdtArguments(KnownProviders.load());
        }
        return usdtArguments;
    }
}
