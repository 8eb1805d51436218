package dev.probestream.collector.internal.resolve;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.collector.internal.resolve.code.InstructionStarts;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.ResolveException.Reason;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;

/** The error for a probe at the return of a Go function: why it is refused, and specs that can be used instead. */
final class GoRefusal {
    private static final int MAX_RETURNS_SHOWN = 4;

    private GoRefusal() {}

    static ResolveException explain(ProbeSpec spec, ElfFile elf, String what) throws IOException {
        List<String> returns = new ArrayList<>();
        FunctionFinder.find(elf, spec.function(), spec.isGlob()).values().stream()
                .flatMap(Collection::stream)
                .findFirst()
                .ifPresent(symbol -> returns.addAll(specs(spec, elf, symbol)));
        return new ResolveException(
                Reason.REFUSED,
                what + ": this is a Go program, and " + spec.kind().spelling()
                        + " replaces return addresses on the stack, which Go moves: the program would crash."
                        + " Use uprobe: on the function, or on its RET instructions: "
                        + (returns.isEmpty() ? "uprobe:FUNCTION+OFFSET" : String.join(" ", returns)));
    }

    private static List<String> specs(ProbeSpec spec, ElfFile elf, ElfSymbol symbol) {
        String prefix = "uprobe:" + (spec.module().isEmpty() ? "" : spec.module() + ":");
        String name = symbol.name().matches("[\\w.:]+") ? symbol.name() : "\"" + symbol.name() + "\"";
        try {
            List<Integer> offsets = InstructionStarts.returns(elf, symbol, MAX_RETURNS_SHOWN + 1);
            List<String> specs = new ArrayList<>();
            for (int offset : offsets.subList(0, Math.min(MAX_RETURNS_SHOWN, offsets.size()))) {
                specs.add("'" + prefix + name + "+0x" + Integer.toHexString(offset) + "'");
            }
            if (offsets.size() > MAX_RETURNS_SHOWN) {
                specs.add("...");
            }
            return specs;
        } catch (IOException e) {
            return List.of(); // this is only advice
        }
    }
}
