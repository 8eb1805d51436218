package dev.probestream.collector.internal.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.groups.Tuple.tuple;

import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.tracefs.TracepointFormat;
import dev.probestream.collector.internal.program.PlannedProgram.Attachment;
import dev.probestream.collector.internal.program.layout.MapNames;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.resolve.code.CallingConvention;
import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ProbeArgumentException;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.schema.record.EventKind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ProgramPlannerTest {
    private static final ProgramOptions OPTIONS = ProgramOptions.of(RegisterTable.X86_64, TargetFilter.process(1));
    private static final TracepointFormat FORMAT = TracepointFormat.parse("f", """
            name: event
            ID: 7
            	field:int pid;	offset:8;	size:4;	signed:1;
            	field:char comm[16];	offset:12;	size:16;	signed:0;
            	field:u64 ids[2];	offset:32;	size:16;	signed:0;
            """);

    private static ProgramPlan plan(ProgramOptions options, String... texts) {
        List<ResolvedProbe> probes = new ArrayList<>();
        for (String text : texts) {
            ProbeSpec spec = SpecParser.parse(text);
            Optional<TracepointFormat> format = text.startsWith("tracepoint:") ? Optional.of(FORMAT) : Optional.empty();
            probes.add(ResolvedProbe.of(probes.size() + 1, spec, format));
        }
        return ProgramPlanner.plan(probes, options);
    }

    @Test
    void probesThatRecordAlikeShareTheirPrograms() {
        String[] texts = {
            "span:f(path=arg3:str, ret:s32)", "span:g(name=arg3:str, code=ret:s32)", "span:h(path=arg3:str, ret:s64)"
        };

        assertThat(plan(OPTIONS, texts).programs())
                .extracting(PlannedProgram::probeIds)
                .containsExactly(List.of(1, 2), List.of(1, 2), List.of(3), List.of(3));
        assertThat(plan(OPTIONS.withUprobes(AttachType.NONE, true, false), texts)
                        .programs())
                .extracting(PlannedProgram::probeIds)
                .containsExactly(List.of(1), List.of(1), List.of(2), List.of(2), List.of(3), List.of(3));
    }

    @Test
    void theReturnOfASpanIsAttachedBeforeItsEntry() {
        assertThat(plan(OPTIONS, "span:f").programs())
                .extracting(program -> program.attachment().kind())
                .containsExactly(Attachment.Kind.USER_RETURN, Attachment.Kind.USER_ENTRY);
    }

    @Test
    void aCounterAndAnInstantThatRecordAlikeStayWhatTheyAre() {
        ProgramPlan plan = plan(OPTIONS, "uprobe:f(n=arg1)", "uprobe:g(n=arg1)[counter]");

        assertThat(plan.programs()).hasSize(1);
        assertThat(plan.probes())
                .extracting(probe -> probe.layout().kind())
                .containsExactly(EventKind.INSTANT, EventKind.COUNTER);
    }

    @Test
    void longTextsLeaveRoomForFewerOpenSpans() {
        MapSpec small = pairingMap(plan(OPTIONS, "span:f"));
        MapSpec large = pairingMap(plan(OPTIONS, "span:f(a=arg1:str[4096], b=arg2:str[4096])"));

        assertThat(small.maxEntries()).isEqualTo(ProgramOptions.DEFAULT_MAX_OPEN_SPANS);
        assertThat((long) large.maxEntries() * large.valueSizeBytes()).isLessThanOrEqualTo(32L << 20);
    }

    private static MapSpec pairingMap(ProgramPlan plan) {
        String name = plan.pairingMaps().get(0).mapName();
        return plan.maps().stream()
                .filter(map -> map.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** The programs of the first plan give up what a thread that ends has in it. */
    @Test
    void spansUntilTheNextThatAreFoundLaterStandInTheMapOfTheFirstPlan() {
        ProbeSpec spec = SpecParser.parse("span:f [untilnext]");

        ProgramPlan first = ProgramPlanner.plan(List.of(), OPTIONS, 1, List.of(spec));
        ProgramPlan more = ProgramPlanner.planMore(List.of(ResolvedProbe.of(1, spec, Optional.empty())), OPTIONS, 1);

        assertThat(pairingMap(first).name()).isEqualTo(MapNames.PHASES);
        assertThat(more.pairingMaps()).isEmpty();
        assertThat(more.maps()).extracting(MapSpec::name).containsExactly(MapNames.ZERO);
        assertThat(ProgramPlanner.plan(List.of(), OPTIONS, 1, List.of()).pairingMaps())
                .isEmpty();
    }

    @Test
    void aTracepointWithoutArgumentsRecordsAllItsFields() {
        PlannedProbe probe = plan(OPTIONS, "tracepoint:test:event").probes().get(0);

        assertThat(probe.arguments())
                .extracting(ArgumentSpec::name, argument -> argument.type().recordName())
                .containsExactly(
                        tuple("pid", "s32"), tuple("comm", "char[16]"), tuple("ids[0]", "u64"), tuple("ids[1]", "u64"));
    }

    @Test
    void probesShareAProgramOnlyIfTheyFilterAlike() {
        String[] texts = {
            "uprobe:f(a=arg1) /a == 1/", "uprobe:g(b=arg1) /arg1 == 1/", "uprobe:h(a=arg1) /a == 2/", "uprobe:i(a=arg1)"
        };

        assertThat(plan(OPTIONS, texts).programs())
                .extracting(PlannedProgram::probeIds)
                .containsExactly(List.of(1, 2), List.of(3), List.of(4));
    }

    @Test
    void filtersThatCannotBeDecidedAreRefused() {
        assertThatThrownBy(() -> plan(OPTIONS, "span:f /ret < 0 || arg1:str == \"x\"/"))
                .hasMessageContaining("the filter asks under one || or ! for what arg1 points to at the entry")
                .hasMessageContaining("write 'at return' behind arg1");
        assertThatThrownBy(() -> plan(OPTIONS, "span:f /!(ret < 0 && *arg2:u32@8 == 3)/"))
                .hasMessageContaining("for what arg2 points to at the entry");
        assertThat(plan(OPTIONS, "span:f /!(ret < 0 || arg1:str == \"x\")/").programs())
                .hasSize(2);
        assertThatThrownBy(() -> plan(OPTIONS, "tracepoint:test:event /args.pid == \"x\"/"))
                .hasMessageContaining("the field pid is a number, which the filter compares with a text");
        assertThatThrownBy(() -> plan(OPTIONS, "tracepoint:test:event /args.comm == 3/"))
                .hasMessageContaining("the field comm is text: the filter must compare it with a text");
        assertThatThrownBy(() -> plan(OPTIONS, "tracepoint:test:event /ids == 3/"))
                .hasMessageContaining("the field ids is an array of numbers, which no filter compares");
        assertThatThrownBy(() -> plan(OPTIONS, "tracepoint:test:event /nothing == 3/"))
                .hasMessageContaining("the tracepoint has no field nothing; it has pid, comm, ids");
    }

    private static ResolvedProbe goFunction(CallingConvention convention) {
        ProbeSpec spec = SpecParser.parse("uprobe:f(a=arg9:gostr)");
        return new ResolvedProbe(1, spec, "f", "/bin/go", Optional.empty(), List.of(), convention, Optional.empty());
    }

    @Test
    void argumentsThatAreNotThereAreRefused() {
        assertThatThrownBy(() -> ProgramPlanner.plan(List.of(goFunction(CallingConvention.GO_REGISTERS)), OPTIONS))
                .isInstanceOf(ProbeArgumentException.class)
                .hasMessage("record the arguments of uprobe:f(a=arg9:gostr): it is unknown where arg10 is passed: Go"
                        + " passes arg1 to arg9 in registers here, and the rest in an order that depends on their"
                        + " types");
        assertThat(ProgramPlanner.plan(List.of(goFunction(CallingConvention.GO_STACK)), OPTIONS)
                        .programs())
                .hasSize(1);
        assertThatThrownBy(() -> plan(OPTIONS, "tracepoint:test:event(x=nothing)"))
                .hasMessageContaining("the tracepoint has no field nothing; it has pid, comm, ids");
        assertThatThrownBy(() -> plan(OPTIONS, "tracepoint:test:event(pid:str)"))
                .hasMessageContaining("the field pid (int) is no pointer");
        assertThatThrownBy(() -> plan(OPTIONS, "tracepoint:test:event(comm:u64)"))
                .hasMessageContaining("the field comm (char) is text, no number");
        assertThatThrownBy(() -> plan(OPTIONS, "syscalls", "syscalls [stack]"))
                .hasMessageContaining("system calls are recorded already");
        assertThatThrownBy(
                        () -> plan(
                                OPTIONS,
                                "uprobe:f(a=arg1:str[4096], b=arg1:str[4096], c=arg1:str[4096],"
                                        + " d=arg1:str[4096], e=arg1:str[4096], f=arg1:str[4096], g=arg1:str[4096], h=arg1:str[4096])"))
                .hasMessageContaining("is too large");
        assertThatThrownBy(() -> plan(OPTIONS, "sched")).hasMessageContaining("layout of task_struct is not known");
    }
}
