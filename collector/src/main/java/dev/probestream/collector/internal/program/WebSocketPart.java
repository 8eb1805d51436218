package dev.probestream.collector.internal.program;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.collector.internal.program.ProgramPlan.Entries;
import dev.probestream.collector.internal.program.ProgramPlan.PairingMap;
import dev.probestream.collector.internal.program.code.WebSocketProgram;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout;
import dev.probestream.collector.internal.program.layout.WebSocketLayout;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.List;
import java.util.Optional;

/** The messages of WebSocket connections, which are counted in the kernel ({@link WebSocketLayout}). */
final class WebSocketPart implements FunctionPart {
    @Override
    public Optional<WebSocketLayout.Role> role(ProbeSpec spec) {
        return WebSocketLayout.Role.of(spec.preset().role());
    }

    @Override
    public String programName() {
        return "web_socket";
    }

    @Override
    public boolean needsEntries(Enum<?> role) {
        return false;
    }

    @Override
    public int zeroSizeBytes() {
        return WebSocketLayout.SIZE_BYTES;
    }

    @Override
    public List<Instruction> program(
            Assembler assembler,
            ArgumentCode arguments,
            ProgramOptions options,
            List<Integer> probeIds,
            ProbeSpec spec,
            Enum<?> role,
            EventLayout layout) {
        return new WebSocketProgram(assembler, options.filter(), arguments, options.sleepableUprobes())
                .write(probeIds, spec, (WebSocketLayout.Role) role, layout);
    }

    @Override
    public void addMaps(PlanParts parts, String category) {
        parts.maps.add(MapSpec.hash(
                MapNames.WEB_SOCKETS,
                StreamBytesLayout.KEY_SIZE_BYTES,
                WebSocketLayout.SIZE_BYTES,
                WebSocketLayout.MAX_CONNECTIONS));
        parts.pairingMaps.add(new PairingMap(MapNames.WEB_SOCKETS, WebSocketLayout.SIZE_BYTES, category, Entries.KEPT));
    }
}
