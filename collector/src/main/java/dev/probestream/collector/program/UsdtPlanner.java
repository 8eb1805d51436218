package dev.probestream.collector.program;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.bpf.usdt.UsdtArgument;
import dev.probestream.bpf.usdt.UsdtOperand;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.program.PlannedProgram.Attachment;
import dev.probestream.collector.program.code.InstantProgram;
import dev.probestream.collector.program.layout.EventLayout;
import dev.probestream.collector.program.options.ProgramOptions;
import dev.probestream.collector.program.snippet.ArgumentCode;
import dev.probestream.collector.program.snippet.PlannedSite;
import dev.probestream.collector.program.snippet.UsdtAccess;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Plans the USDT probes. Sites share a program when they record alike and have the arguments that are read in the same
 * places, whatever their names; without cookies only sites of one probe do.
 */
final class UsdtPlanner {
    private static final UsdtArgument ABSENT =
            new UsdtArgument("", Long.BYTES, false, false, UsdtOperand.unreadable(""));

    private final PlanParts parts;
    private final ProgramOptions options;

    UsdtPlanner(PlanParts parts) {
        this.parts = parts;
        this.options = parts.options;
    }

    private record Group(ProbeSpec spec, List<UsdtArgument> arguments, List<PlannedSite> sites) {
        List<Integer> probeIds() {
            return sites.stream().map(PlannedSite::probeId).distinct().toList();
        }
    }

    /** Plans those that are {@link ProbeKind#USDT}. */
    void plan(List<NumberedProbe> numbered) {
        Map<List<Object>, Group> groups = new LinkedHashMap<>();
        for (NumberedProbe probe : numbered) {
            if (probe.spec().kind() == ProbeKind.USDT) {
                ProbeSpec spec = probe.spec();
                parts.add(probe, spec.arguments(), parts.layout(spec, spec.arguments()));
                for (int site = 0; site < probe.sites().size(); site++) {
                    List<UsdtArgument> places = places(spec, probe.sites().get(site));
                    groups.computeIfAbsent(
                                    recordsAlike(probe, places), key -> new Group(spec, places, new ArrayList<>()))
                            .sites()
                            .add(new PlannedSite(probe.probeId(), site));
                }
            }
        }
        int number = 0;
        for (Group group : groups.values()) {
            add(group, ++number);
        }
    }

    private List<Object> recordsAlike(NumberedProbe probe, List<UsdtArgument> places) {
        ProbeSpec spec = probe.spec();
        return List.of(
                spec.arguments().stream().map(ArgumentSpec::undescribed).toList(),
                places,
                spec.filter(),
                spec.stack(),
                options.cookies() ? 0 : probe.probeId());
    }

    /** Where the arguments that are read are; what else tells sites apart is left out. */
    static List<UsdtArgument> places(ProbeSpec spec, List<UsdtArgument> site) {
        return places(spec, site, false);
    }

    /** Likewise at a site where a pair ends, if {@code atReturn}, of those that are read there. */
    static List<UsdtArgument> places(ProbeSpec spec, List<UsdtArgument> site, boolean atReturn) {
        List<UsdtArgument> places = new ArrayList<>();
        for (int number : UsdtArguments.used(spec, atReturn)) {
            while (places.size() < number) {
                places.add(ABSENT);
            }
            if (number <= site.size()) {
                places.set(number - 1, place(site.get(number - 1)));
            }
        }
        return List.copyOf(places);
    }

    private static UsdtArgument place(UsdtArgument argument) {
        boolean isReadable = !argument.isFloat() && argument.operand().kind() != UsdtOperand.Kind.UNREADABLE;
        return isReadable
                ? new UsdtArgument("", argument.sizeBytes(), argument.isSigned(), false, argument.operand())
                : ABSENT;
    }

    private void add(Group group, int number) {
        ProbeSpec spec = group.spec();
        List<Integer> ids = group.probeIds();
        EventLayout layout = parts.layout(spec, spec.arguments());
        Assembler assembler = new Assembler();
        UsdtAccess access =
                new UsdtAccess(assembler, options.registers(), group.arguments(), options.sleepableUprobes());
        List<Instruction> instructions = new InstantProgram(
                        assembler,
                        options.filter(),
                        new ArgumentCode(assembler, access, options.sleepableUprobes(), options.sockets()))
                .write(ids, spec.filter(), spec.arguments(), layout.arguments(), layout);
        ProgramSpec program = new ProgramSpec(
                "usdt_" + ids.get(0) + "_" + number,
                ProgramType.KPROBE,
                options.uprobeAttachType(),
                options.sleepableUprobes() ? ProgramSpec.BPF_F_SLEEPABLE : 0,
                0,
                instructions);
        parts.programs.add(new PlannedProgram(program, Attachment.USER_ENTRY, "", ids, false, group.sites()));
    }
}
