package dev.probestream.collector.internal.program;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.map.MapType;
import dev.probestream.collector.internal.program.code.StreamProgram;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.layout.StreamBytesLayout;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.List;
import java.util.Optional;

/** The bytes between clients and databases, of which the collector makes statements ({@link StreamBytesLayout}). */
final class StreamPart implements FunctionPart {
    @Override
    public Optional<StreamBytesLayout.Role> role(ProbeSpec spec) {
        return StreamBytesLayout.Role.of(spec.preset().role());
    }

    @Override
    public String programName() {
        return "stream";
    }

    /** A write at the return of a system call has the time of its entry. */
    @Override
    public boolean needsEntries(Enum<?> role) {
        return role == StreamBytesLayout.Role.WRITE;
    }

    @Override
    public int zeroSizeBytes() {
        return 0;
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
        // Uprobes can sleep since Linux 6.0, which therefore has bpf_loop (5.17), too.
        boolean isRecent = options.sleepableUprobes();
        boolean maySleep = isRecent && spec.kind().isUserFunction();
        return new StreamProgram(assembler, options.filter(), arguments, maySleep, isRecent)
                .write(probeIds, spec, (StreamBytesLayout.Role) role, layout);
    }

    @Override
    public void addMaps(PlanParts parts, String category) {
        parts.maps.add(new MapSpec(
                MapNames.STREAMS,
                MapType.LRU_HASH,
                StreamBytesLayout.KEY_SIZE_BYTES,
                Long.BYTES,
                StreamBytesLayout.MAX_STREAMS,
                0));
        parts.maps.add(MapSpec.array(MapNames.DATABASE_DESCRIPTORS, Long.BYTES, StreamBytesLayout.MAX_DESCRIPTORS));
        parts.maps.add(new MapSpec(
                MapNames.WRITE_ENTRIES, MapType.LRU_HASH, Integer.BYTES, Long.BYTES, StreamBytesLayout.MAX_WRITERS, 0));
    }
}
