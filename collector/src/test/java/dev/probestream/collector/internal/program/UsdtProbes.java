package dev.probestream.collector.internal.program;

import dev.probestream.bpf.kernel.Uprobes;
import dev.probestream.bpf.usdt.UsdtArgument;
import dev.probestream.collector.internal.process.FileId;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.resolve.UprobeLocation;
import dev.probestream.collector.internal.resolve.code.CallingConvention;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.UsdtPair;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** USDT probes that are in no file, for tests of plans. */
final class UsdtProbes {
    private UsdtProbes() {}

    /** A probe with these arguments at each of its attach points, of a pair at those of its beginning and of its end. */
    static ResolvedProbe resolved(
            int probeId, ProbeSpec recorded, List<List<UsdtArgument>> begins, List<List<UsdtArgument>> ends) {
        boolean isPair = recorded.kind() == ProbeKind.USDTSPAN;
        List<UprobeLocation> locations = new ArrayList<>();
        String begin = isPair ? UsdtPair.of(recorded).begin() : recorded.function();
        begins.forEach(arguments -> locations.add(location(begin, locations.size(), arguments)));
        ends.forEach(arguments -> locations.add(location(UsdtPair.of(recorded).end(), locations.size(), arguments)));
        return new ResolvedProbe(
                probeId,
                recorded,
                begin,
                "/none.so",
                Optional.empty(),
                locations,
                CallingConvention.C,
                Optional.empty());
    }

    private static UprobeLocation location(String name, long fileOffset, List<UsdtArgument> arguments) {
        return new UprobeLocation(
                Uprobes.EVERY_PROCESS, name, Path.of("/none.so"), new FileId(1, 1), fileOffset, 0, arguments);
    }
}
