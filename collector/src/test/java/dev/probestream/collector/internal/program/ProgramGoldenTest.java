package dev.probestream.collector.internal.program;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.asm.Instruction;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.elf.ElfMachine;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.map.MapSpec;
import dev.probestream.bpf.tracefs.TracepointFormat;
import dev.probestream.bpf.usdt.UsdtArgumentParser;
import dev.probestream.collector.internal.program.options.FollowRule;
import dev.probestream.collector.internal.program.options.PidNamespace;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.options.TaskOffsets;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.parse.SpecParser;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Whole plans as readable listings under testdata/program. After a change that is meant, read the difference and write
 * them anew with {@code -Dprobestream.writeGoldens=collector/src/test/resources/testdata/program}.
 */
class ProgramGoldenTest {
    /** Where the fields lay on the 6.18 kernel the programs were first loaded on. */
    static final TaskOffsets TASKS = new TaskOffsets(2456, 2460, OptionalInt.empty(), true);

    private record Golden(String name, ProgramOptions options, List<String> specs) {
        Golden(String name, ProgramOptions options, String... specs) {
            this(name, options, List.of(specs));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Golden> goldens() {
        ProgramOptions one = ProgramOptions.of(RegisterTable.X86_64, TargetFilter.process(4711));
        ProgramOptions listed = ProgramOptions.of(RegisterTable.X86_64, TargetFilter.LISTED_PROCESSES);
        ProgramOptions arm = ProgramOptions.of(RegisterTable.AARCH64, TargetFilter.process(4711));
        TargetFilter inContainer = TargetFilter.LISTED_PROCESSES.in(new PidNamespace(4, 0xF000_0001L, true));
        ProgramOptions container = ProgramOptions.of(RegisterTable.X86_64, inContainer);
        ProgramOptions old = one.withUprobes(AttachType.NONE, false, false);
        return Stream.of(
                new Golden("uprobe", one, "uprobe:f(a=arg1:s32, b=*arg2:u16@+8, path=arg3:str[64])"),
                new Golden("uprobe-of-http2", one, "uprobe:f(status=*arg1:http2header[arg2,grpc_status]@+248@+224)"),
                new Golden("uprobe-without-sleeping", old, "uprobe:f(path=*arg1:str[64]@+8)"),
                new Golden("uretprobe-of-two", listed, "uretprobe:f(ret:s32)[stack]", "uretprobe:g(n=ret:s32)[stack]"),
                new Golden("span-of-numbers", one, "span:f(a=arg1:s64, r=*arg2:s64@+88 at return, code=ret:s32)"),
                new Golden("span-of-text", old, "span:f(path=arg3:str[64], flags=arg4:u8, ret:s64)"),
                new Golden("span-on-aarch64", arm, "span:f(a=arg8:s64, ret:s32)"),
                new Golden(
                        "span-until-next",
                        listed.withTasks(TASKS),
                        "span:f(a=arg1:ptr, b=*arg2:u32@+8)[untilnext]",
                        "span:g(a=arg1:ptr, b=*arg2:u32@+8)[untilnext]",
                        "uprobe:h[untilnext]"),
                new Golden("usdtspan", one, "usdtspan:p:b,e(a=arg1:s32, r=arg1:s32 at return)/a == 1 && duration > 5/"),
                new Golden(
                        "usdtspan-of-two", listed, "usdtspan:p:b,e(t=arg2:str[64])", "usdtspan:p:c,d(t=arg2:str[64])"),
                new Golden("span-by-thread", listed, "span(uprobe:f(a=arg1:s32) -> uretprobe:g(r=ret:s32)) /a == 1/"),
                new Golden(
                        "span-by-values",
                        one,
                        "span(uprobe:f(a=arg1:s64, t=arg2:str[64]) -> uprobe:g(a=arg3:u32, b=arg1) by a) /duration > 5/"),
                new Golden("tracepoint", listed, "tracepoint:test:everything"),
                new Golden("rawtracepoint", one, "rawtracepoint:sched_switch(preempt=arg1:bool, prio=*arg3:s32@+132)"),
                new Golden("syscall", listed, "syscall:write(fd=arg1:s32, ret:s64) /arg3 > 9 && ret > 0/"),
                new Golden("syscall-on-aarch64", arm, "syscall:write(text=arg2:str[arg3,16], ret:s64)"),
                new Golden(
                        "sys-exit",
                        listed,
                        "sys_exit:read(fd=arg1:s32, text=arg2:str[ret,16], ret:s64) /ret > 0/",
                        "sys_exit:close(fd=arg1:s32)",
                        "sys_exit:read /arg3 == 1/"),
                new Golden("sys-exit-on-aarch64", arm, "sys_exit:read(fd=arg1:s32, text=arg2:str[ret,16], ret:s64)"),
                new Golden(
                        "socket-ends",
                        one.withSockets(),
                        "uprobe:f(remote=*arg1:peer@+184, local=*arg1:sockname@+184)"),
                new Golden("syscalls", listed, "syscalls"),
                new Golden("syscalls-all", listed, "syscalls:all"),
                new Golden("syscalls-on-aarch64", arm, "syscalls"),
                new Golden("sched", one.withTasks(TASKS), "sched:all"),
                new Golden("sched-summed", one.withTasks(TASKS), "sched"),
                new Golden("sched-summed-in-a-container", container.withTasks(TASKS), "sched"),
                new Golden("sched-with-stacks", listed.withTasks(TASKS), "sched [ustack]"),
                new Golden("uprobe-in-a-container", container, "uprobe:f"),
                new Golden("sched-in-a-container", container.withTasks(TASKS), "sched:all"),
                new Golden("uprobe-with-javascript", one.withJavaScript(true), "uprobe:f [ustack]"),
                new Golden("sched-with-javascript", arm.withTasks(TASKS).withJavaScript(true), "sched [ustack]"),
                new Golden("signals", listed.withTasks(TASKS), "signals"),
                new Golden("signals-in-a-container", container.withTasks(TASKS), "signals [ustack]"),
                new Golden("profile", listed, "profile:99 /comm == \"node\"/"),
                new Golden("life-of-one-process", one.withTasks(TASKS)),
                new Golden("life-with-children", listed.withTasks(TASKS).withFollow(new FollowRule(true, ""))),
                new Golden("life-by-name", listed.withTasks(TASKS).withFollow(new FollowRule(false, "node"))),
                new Golden(
                        "life-in-a-cgroup",
                        ProgramOptions.of(RegisterTable.X86_64, TargetFilter.cgroup(4242, 2))
                                .withTasks(TASKS)));
    }

    @ParameterizedTest
    @MethodSource("goldens")
    void programsAreAsTheyWere(Golden golden) throws Exception {
        String listing = listing(golden);
        String folder = System.getProperty("probestream.writeGoldens", "");
        if (!folder.isEmpty()) {
            Files.createDirectories(Path.of(folder));
            Files.writeString(Path.of(folder, golden.name + ".txt"), listing);
        }
        assertThat(listing).isEqualTo(resource("program/" + golden.name + ".txt"));
    }

    private static String listing(Golden golden) throws Exception {
        List<ResolvedProbe> probes = new ArrayList<>();
        int id = 1;
        StringBuilder listing = new StringBuilder();
        for (String text : golden.specs) {
            ProbeSpec spec = SpecParser.parse(text);
            if (spec.kind() == ProbeKind.USDTSPAN) {
                probes.add(UsdtProbes.resolved(
                        id,
                        spec,
                        List.of(UsdtArgumentParser.parse(ElfMachine.X86_64, "-4@-8(%rbp) 8@%rsi")),
                        List.of(UsdtArgumentParser.parse(ElfMachine.X86_64, "-4@%eax"))));
                listing.append("probe ").append(id++).append(": ").append(text).append('\n');
                continue;
            }
            if (spec.kind() == ProbeKind.PAIR) {
                probes.add(Pairs.resolved(id, spec));
                listing.append("probe ").append(id++).append(": ").append(text).append('\n');
                continue;
            }
            boolean isTracepoint = spec.kind() == ProbeKind.TRACEPOINT;
            probes.add(ResolvedProbe.of(
                    id,
                    spec,
                    isTracepoint
                            ? Optional.of(
                                    TracepointFormat.parse("everything.format", resource("tracefs/everything.format")))
                            : Optional.empty()));
            listing.append("probe ").append(id).append(": ").append(text).append('\n');
            id += spec.idCount();
        }
        ProgramPlan plan = ProgramPlanner.plan(probes, golden.options);
        plan.maps().forEach(map -> describe(map, listing));
        plan.programs().forEach(program -> describe(program, listing));
        return listing.toString();
    }

    private static void describe(MapSpec map, StringBuilder listing) {
        listing.append("map ").append(map.name()).append(": ").append(map.type());
        listing.append(", key ").append(map.keySizeBytes()).append(", value ").append(map.valueSizeBytes());
        listing.append(", entries ").append(map.maxEntries()).append('\n');
    }

    private static void describe(PlannedProgram planned, StringBuilder listing) {
        listing.append("\nprogram ")
                .append(planned.program().name())
                .append(": ")
                .append(planned.attachment().kind());
        listing.append(
                planned.attachment().tracepoint().isEmpty()
                        ? ""
                        : " " + planned.attachment().tracepoint());
        listing.append(planned.program().isSleepable() ? ", may sleep" : "");
        listing.append(planned.probeIds().isEmpty() ? "" : ", probes " + planned.probeIds())
                .append('\n');
        List<Instruction> instructions = planned.program().instructions();
        for (int i = 0; i < instructions.size(); i++) {
            listing.append(String.format("%4d: %s%n", i, instructions.get(i)));
        }
    }

    private static String resource(String name) {
        try (InputStream in = ProgramGoldenTest.class.getResourceAsStream("/testdata/" + name)) {
            return in == null ? "" : new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
