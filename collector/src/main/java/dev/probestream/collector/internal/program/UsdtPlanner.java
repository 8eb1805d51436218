package dev.probestream.collector.internal.program;

import dev.probestream.bpf.asm.Assembler;
import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.kernel.ProgramSpec;
import dev.probestream.bpf.kernel.ProgramType;
import dev.probestream.bpf.usdt.UsdtArgument;
import dev.probestream.bpf.usdt.UsdtOperand;
import dev.probestream.collector.internal.program.PlannedProgram.Attachment;
import dev.probestream.collector.internal.program.PlannedProgram.Uprobe;
import dev.probestream.collector.internal.program.code.InstantProgram;
import dev.probestream.collector.internal.program.layout.EventLayout;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.snippet.ArgumentCode;
import dev.probestream.collector.internal.program.snippet.access.UsdtAccess;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.resolve.UprobeLocation;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Plans the USDT probes. Attach points share a program when they record alike and have the arguments that are read at the
 * same locations, whatever their names; without cookies only attach points of one probe do.
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

    private record Group(ProbeSpec spec, List<UsdtArgument> arguments, List<Uprobe> uprobes) {
        List<Integer> probeIds() {
            return uprobes.stream().map(Uprobe::probeId).distinct().toList();
        }
    }

    /** Plans those that are {@link ProbeKind#USDT}. */
    void plan(List<ResolvedProbe> resolved) {
        Map<List<Object>, Group> groups = new LinkedHashMap<>();
        for (ResolvedProbe probe : resolved) {
            if (probe.spec().kind() == ProbeKind.USDT) {
                ProbeSpec spec = probe.spec();
                parts.add(probe, spec.arguments(), parts.layout(spec, spec.arguments()));
                for (UprobeLocation location : probe.locations()) {
                    List<UsdtArgument> read = argumentsRead(spec, location, false);
                    groups.computeIfAbsent(recordsAlike(probe, read), key -> new Group(spec, read, new ArrayList<>()))
                            .uprobes()
                            .add(new Uprobe(probe.probeId(), location));
                }
            }
        }
        int number = 0;
        for (Group group : groups.values()) {
            add(group, ++number);
        }
    }

    private List<Object> recordsAlike(ResolvedProbe probe, List<UsdtArgument> read) {
        ProbeSpec spec = probe.spec();
        return List.of(
                spec.preset().category(),
                spec.arguments().stream().map(ArgumentSpec::undescribed).toList(),
                read,
                spec.filter(),
                spec.stack(),
                options.cookies() ? 0 : probe.probeId());
    }

    /**
     * Where the arguments that a program reads are at an attach point; whatever else distinguishes attach points is left out.
     *
     * @param atReturn whether it is the program for the end of a pair
     */
    static List<UsdtArgument> argumentsRead(ProbeSpec spec, UprobeLocation location, boolean atReturn) {
        List<UsdtArgument> all = location.arguments();
        List<UsdtArgument> read = new ArrayList<>();
        for (int number : UsdtArguments.used(spec, atReturn)) {
            while (read.size() < number) {
                read.add(ABSENT);
            }
            if (number <= all.size()) {
                read.set(number - 1, withoutText(all.get(number - 1)));
            }
        }
        return List.copyOf(read);
    }

    private static UsdtArgument withoutText(UsdtArgument argument) {
        boolean isReadable = argument.operand().kind() != UsdtOperand.Kind.UNREADABLE;
        return isReadable
                ? new UsdtArgument(
                        "", argument.sizeBytes(), argument.isSigned(), argument.isFloat(), argument.operand())
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
                        options.registers(),
                        options.filter(),
                        new ArgumentCode(assembler, access, options.sleepableUprobes(), options.kernelOffsets()))
                .write(ids, spec.filter(), spec.arguments(), layout.arguments(), layout);
        ProgramSpec program = new ProgramSpec(
                "usdt_" + ids.get(0) + "_" + number,
                ProgramType.KPROBE,
                options.uprobeAttachType(),
                options.sleepableUprobes() ? ProgramSpec.BPF_F_SLEEPABLE : 0,
                0,
                instructions);
        parts.programs.add(new PlannedProgram(program, Attachment.entries(group.uprobes()), ids, false));
    }
}
