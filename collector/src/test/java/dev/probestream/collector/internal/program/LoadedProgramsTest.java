package dev.probestream.collector.internal.program;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.probestream.bpf.KernelTest;
import dev.probestream.bpf.asm.RegisterTable;
import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.elf.ElfMachine;
import dev.probestream.bpf.kernel.AttachType;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.usdt.UsdtArgument;
import dev.probestream.bpf.usdt.UsdtArgumentParser;
import dev.probestream.collector.internal.program.options.FollowRule;
import dev.probestream.collector.internal.program.options.PidNamespace;
import dev.probestream.collector.internal.program.options.ProgramOptions;
import dev.probestream.collector.internal.program.options.TargetFilter;
import dev.probestream.collector.internal.program.options.TaskOffsets;
import dev.probestream.collector.internal.program.options.ThreadOffsets;
import dev.probestream.collector.internal.resolve.ResolvedProbe;
import dev.probestream.collector.internal.resolve.TracepointFinder;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.collector.probe.preset.ProbeSet;
import dev.probestream.collector.probe.provider.KnownProviders;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The verifier is the judge: every program we can write is loaded into this kernel. */
@KernelTest(since = "6.6")
class LoadedProgramsTest {
    /** Of one program. Linux 6.1, whose verifier goes along more, refuses those for which 6.18 needs 113,000. */
    private static final int MOST_VERIFIED = 70_000;

    private static TaskOffsets tasks;
    private static ThreadOffsets threads;
    private static PidNamespace namespace;

    @BeforeAll
    static void readOffsets() throws Exception {
        tasks = TaskOffsets.of(BtfFile.ofKernel());
        threads = ThreadOffsets.of(BtfFile.ofKernel(), true);
        namespace = new PidNamespace(4, 0xF000_0001L, true);
    }

    static Stream<TargetFilter> filters() {
        return Stream.of(
                TargetFilter.EVERY_PROCESS,
                TargetFilter.process(4711),
                TargetFilter.LISTED_PROCESSES,
                TargetFilter.cgroup(0x1_0000_0001L, 2),
                TargetFilter.cgroup(0x1_0000_0001L, 1, 16).in(namespace));
    }

    static Stream<ProgramOptions> options() {
        return filters()
                .flatMap(filter -> Stream.of(
                                ProgramOptions.of(RegisterTable.X86_64, filter).withJavaScript(true),
                                ProgramOptions.of(RegisterTable.X86_64, filter)
                                        .withUprobes(AttachType.NONE, false, false),
                                ProgramOptions.of(RegisterTable.X86_64, filter)
                                        .withUprobes(AttachType.NONE, true, true)
                                        .withJavaScript(true))
                        .map(options -> options.withTasks(tasks)
                                .withThread(threads)
                                .withSockets()
                                .withSizes(1 << 16, 512)));
    }

    @ParameterizedTest
    @MethodSource("options")
    void everyPresetLoads(ProgramOptions options) throws Exception {
        for (String name : ProbeSet.names()) {
            load(options, ProbeSet.named(name).probes());
        }
    }

    @Test
    void presetsTakeTheVerifierNotLong() throws Exception {
        ProgramOptions options = ProgramOptions.of(RegisterTable.X86_64, TargetFilter.LISTED_PROCESSES)
                .withTasks(tasks)
                .withThread(threads)
                .withSockets()
                .withSizes(1 << 16, 512);
        for (String name : ProbeSet.names()) {
            Map<String, Integer> before = verified();
            try (BpfObjects loaded = FunctionsInC.link(
                            plan(options, ProbeSet.named(name).probes()))
                    .load()) {
                Map<String, Integer> after = verified();
                after.keySet().removeAll(before.keySet());
                assertThat(after).as(name).hasSameSizeAs(loaded.programs());
                assertThat(after.values()).as(name).allMatch(count -> count <= MOST_VERIFIED);
            }
        }
    }

    /** How many instructions the verifier went along, by the ids of the programs that this process holds (bpf_prog_show_fdinfo). */
    private static Map<String, Integer> verified() throws IOException {
        Map<String, Integer> counts = new HashMap<>();
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fdinfo"))) {
            for (Path file : files.toList()) {
                Map<String, String> fields = fields(file);
                if (fields.containsKey("verified_insns")) {
                    counts.put(fields.get("prog_id"), Integer.valueOf(fields.get("verified_insns")));
                }
            }
        }
        return counts;
    }

    private static Map<String, String> fields(Path file) throws IOException {
        Map<String, String> fields = new HashMap<>();
        try {
            for (String line : Files.readAllLines(file)) {
                int colon = line.indexOf(':');
                fields.put(
                        line.substring(0, Math.max(0, colon)),
                        line.substring(colon + 1).strip());
            }
        } catch (NoSuchFileException e) {
            return Map.of(); // it has been closed since
        }
        return fields;
    }

    @ParameterizedTest
    @MethodSource("options")
    void functionsWithArgumentsOfEveryKindLoad(ProgramOptions options) throws Exception {
        load(
                options,
                specs(
                        "uprobe:f",
                        "uprobe:g [stack]",
                        "uprobe:f(a=arg1:s8, b=arg2:u16, c=arg3:s32, d=arg4:u64, e=arg5:ptr, f=arg6:bool)",
                        "uprobe:f(a=*arg1:s8@+1, b=*arg2:u16@-8, c=*arg3:s32, d=*arg4:u64@+4096, e=arg5-336:ptr)",
                        "uprobe:f(a=arg1:str, b=*arg2:str[300]@+104, c=arg3:char[16], d=*arg4:char[32]@+8)",
                        "uprobe:f(a=arg1:str[4096])",
                        "uretprobe:f(ret:s32)",
                        "uretprobe:f(*ret:u32@+8, text=ret:str, code=ret:u64)[ustack]",
                        "uretprobe:f(n=ret:u64)[counter]",
                        "uprobe:f(a=*arg1:http2header[arg2,method]@8@16, b=*arg3:http2header[arg4,grpc_status]@256@264)",
                        "uprobe:f(a=arg1:sockaddr, b=arg2:peer, c=*arg3:sockname@+184, d=arg4:str[..arg5,300])",
                        "uprobe:f(a=*arg1:peer@+72@+184, b=*arg1:sockname@+72@+184, c=arg2:peer, d=arg2:sockname)",
                        "span:f(a=arg1:peer, b=arg1:sockname at return, c=arg1:sockname, d=arg1:peer at return)",
                        "uprobe:f(a=arg1:uvstream, b=*arg2:uvstream@+8, c=asyncid, d=servedstream, e=arg3:str)",
                        "uprobe:f(a=*arg1:u32@0, b=*arg1:uvstream@4, c=*arg1:u32@8) /arg2:uvstream != 0/",
                        "span:f(a=arg1:uvstream, b=*arg2:uvstream@8 at return, c=ret:uvstream, d=arg3:str, e=asyncid)",
                        "span:f(a=arg1:uvstream, b=arg2, c=arg3, d=arg4, e=arg5) /arg1:uvstream == arg2/",
                        "uprobe:f(a=arg1:uvreader, b=*arg2:uvreader@+8, c=asyncid, d=servedstream, e=arg3:str)",
                        "uprobe:f(a=*arg1:u32@0, r=*arg1:uvreader@4, c=*arg1:u32@8) /r == 2 && arg2:uvreader != 3/",
                        "span:f(a=arg1:uvreader, r=arg2:uvreader at return, d=arg3:str, e=asyncid) /r == 2 || a < 1/",
                        "span:f(a=arg1:uvreader, b=arg2, c=arg3, d=arg4, e=arg5) /arg1:uvreader == arg2/",
                        "syscall:read(fd=arg1:s32, s=arg1:uvstream, r=arg1:uvreader at return, ret:s32) /r == 2 && ret > 0/",
                        "span:f(a=*arg1:sockaddr@+8@+16, b=*arg2:peer@+184 at return, c=ret:sockname, d=*arg4:str[..arg5]@8)",
                        "span:f",
                        "span:f(ret:s64) [kstack]",
                        "span:f(a=arg1:s8, b=*arg2:u32@+8, c=arg3:bool, ret:s32)",
                        "span:f(p=arg3:str[256], r=arg2:ptr, result=*arg2:s64@+88 at return, code=ret:s32)",
                        "span:f(p=*arg3:str@+8 at return, q=arg1:str, s=*ret:u16@+2, arg6:u64, ret:u8)[stack]"));
    }

    @ParameterizedTest
    @MethodSource("options")
    void filtersOfEveryKindLoad(ProgramOptions options) throws Exception {
        String text = "0123456789abcdef".repeat(8);
        load(
                options,
                specs(
                        "uprobe:f(arg12:str[arg11], *arg10:gostr@8@16, arg9:str) /arg8:str == \"" + text
                                + "\" && arg7 != 0 && comm ^= \"a\" && *arg6:str[arg5]@8@8 != \"\" && arg4 < arg3/",
                        "uprobe:f(arg12:str[arg11], *arg10:gostr@8@16, a=*arg1:u64@8, b=*arg2:u64@16, c=*arg3:u64@100) /arg8:str == \""
                                + text + "\" && *arg6:str[arg5]@8@8 != \"\" && comm ^= \"a\"/ [ustack]",
                        "span:f(a=*arg7:str[arg8]@8 at return, b=arg9:str) /arg1:char[7] == \"1234567\" && ret != arg2/",
                        "span:f(a=arg1, b=arg2, c=arg3) /cpu == 1 || duration > 5 || !(comm == \"x\") || uid == tid/",
                        "span:f(a=*arg2:gostr[512], b=arg3:str) /ret > 0 && (a ^= \"GET \" || a ^= \"" + text
                                + "\") && (b ^= \"a\" || b ^= \"\" || b ^= \"bcd\" || b ^= \"efghijklm\")/",
                        "uretprobe:f /ret:str == \"abc\" || *ret:u16@8 & 3/",
                        "rawtracepoint:sched_switch /*arg3:s32@100 == 120 && arg2:char[4] == \"abc\" || arg1:bool == 0/",
                        "tracepoint:sched:sched_switch /prev_comm == \"x\" || args.prev_pid > 0 && next_comm ^= \"\"/",
                        "tracepoint:syscalls:sys_enter_openat /filename:str ^= \"/proc\" && flags & 1/",
                        "tracepoint:syscalls:sys_enter_openat(dfd:uvstream, flags) /dfd:uvstream != 0/",
                        "tracepoint:syscalls:sys_enter_openat(dfd:uvreader, flags) /dfd:uvreader == 2/",
                        "rawtracepoint:sched_switch(a=arg1:uvstream, b=*arg2:uvstream@8)"));
    }

    @ParameterizedTest
    @MethodSource("options")
    void usdtProbesWithFiltersLoad(ProgramOptions options) throws Exception {
        List<UsdtArgument> site =
                UsdtArgumentParser.parse(ElfMachine.X86_64, "8@%rdi -4@-20(%rbp) 8@8(%rax,%rcx,4) 4@$7 8@%xmm0");
        ProbeSpec asked = SpecParser.parse("usdt:p:n(arg1:str[arg2], arg3:gostr, arg5)"
                + " /arg1:str[arg2] == \"abc\" || arg3 == -1 && arg2 < 4 || arg5 == 3 || arg4 == 7/");
        ProbeSpec recorded = new UsdtArguments(KnownProviders.load()).recorded(asked, asked, List.of(site), List.of());
        load(ProgramPlanner.plan(List.of(UsdtProbes.resolved(1, recorded, List.of(site), List.of())), options));
    }

    @ParameterizedTest
    @MethodSource("options")
    void pairsOfUsdtProbesLoad(ProgramOptions options) throws Exception {
        List<List<UsdtArgument>> begins = List.of(
                UsdtArgumentParser.parse(ElfMachine.X86_64, "8@%rdi -4@-20(%rbp) 8@%xmm0"),
                UsdtArgumentParser.parse(ElfMachine.X86_64, "8@8(%rax,%rcx,4) 4@$7 8@%r8"));
        List<List<UsdtArgument>> ends = List.of(
                UsdtArgumentParser.parse(ElfMachine.X86_64, "-8@-8(%rbp) 8@%rdi"),
                UsdtArgumentParser.parse(ElfMachine.X86_64, ""));
        List<ResolvedProbe> probes = new ArrayList<>();
        for (ProbeSpec asked : specs(
                "usdtspan:p:b,e",
                "usdtspan:p:b,e(a=arg1:str, b=arg2, c=arg1 at return, d=arg2:str[arg1] at return)[stack]",
                "usdtspan:p:b,e(arg3) /arg2 > 0 && duration > 1000 && cpu == 1/",
                "usdtspan:p:b,e(arg2) /arg1:str == \"abc\" && (arg2:str at return == \"x\" || arg1 at return != 0)/",
                "usdtspan:p:b,e(arg2) /comm == \"java\"/ [ustack]")) {
            ProbeSpec recorded = new UsdtArguments(KnownProviders.load()).recorded(asked, asked, begins, ends);
            probes.add(UsdtProbes.resolved(probes.size() + 1, recorded, begins, ends));
        }
        load(ProgramPlanner.plan(probes, options));
    }

    @ParameterizedTest
    @MethodSource("options")
    void kernelProbesLoad(ProgramOptions options) throws Exception {
        load(
                options,
                specs(
                        "rawtracepoint:sched_switch(preempt=arg1:bool, prio=*arg3:s32@+100, comm=arg2:char[16])",
                        "rawtracepoint:sys_enter(nr=arg2:s64)[stack]",
                        "tracepoint:sched:sched_switch",
                        "tracepoint:sched:sched_process_exec [stack]",
                        "tracepoint:syscalls:sys_enter_openat(filename:str, flags)",
                        "tracepoint:raw_syscalls:sys_enter",
                        "syscalls [stack]",
                        "sched [stack]",
                        "signals [stack]",
                        "profile:99"));
    }

    @ParameterizedTest
    @MethodSource("options")
    void spansBetweenTwoProbesLoad(ProgramOptions options) throws Exception {
        String numbers = "a=arg1:s32, b=arg2:u16, c=arg3:u8, d=arg4";
        StringBuilder many = new StringBuilder();
        for (int i = 0; i < 27; i++) {
            many.append(", n").append(i).append("=*arg1:s64@+").append(100 * i);
        }
        List<ResolvedProbe> probes = new ArrayList<>();
        for (ProbeSpec spec : specs(
                "span(uprobe:f(" + numbers + many + ") -> uprobe:g(" + numbers + ", s=arg8) by a, b, c, d)",
                "span(uprobe:f(" + numbers + ", t=arg8:str) /arg9:str == \"abc\" && arg7 > 3/"
                        + " -> uretprobe:g(a=ret, s=*ret:str[200]@8) /ret != 3/ by a) /duration > 5/",
                "span(t:syscalls:sys_enter_openat(filename:str, flags) /filename:str ^= \"/a\"/ -> uprobe:g) [stack]",
                "span(t:sched:sched_wakeup -> rawtracepoint:sys_enter(pid=*arg1:s32@+112, x=arg2) /arg2 == 3/ by pid)",
                "span(rawtracepoint:sched_switch(p=arg2) -> t:sched:sched_switch) /duration > 10 && comm == \"a\"/")) {
            probes.add(Pairs.resolved(probes.size() + 1, spec));
        }
        load(ProgramPlanner.plan(probes, options));
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void processesAreFollowedByEveryRule(boolean children) throws Exception {
        for (TargetFilter filter : filters().toList()) {
            load(
                    ProgramOptions.of(RegisterTable.X86_64, filter)
                            .withTasks(tasks)
                            .withFollow(new FollowRule(children, "node"))
                            .withSizes(1 << 16, 512),
                    List.of());
        }
    }

    @Test
    void switchesOfOlderKernelsLoad() throws Exception {
        TaskOffsets older = new TaskOffsets(tasks.pid(), tasks.pid() + 100, tasks.selfExecId(), false);

        load(
                ProgramOptions.of(RegisterTable.X86_64, TargetFilter.LISTED_PROCESSES)
                        .withTasks(older),
                specs("sched", "sched:all"));
    }

    @Test
    void sixtyThreeArgumentsLoad() throws Exception {
        StringBuilder text = new StringBuilder("span:f(");
        for (int i = 0; i < 63; i++) {
            text.append(i == 0 ? "" : ", ")
                    .append("a")
                    .append(i)
                    .append(i % 2 == 0 ? "=*arg1:s32@+" : "=*arg2:str[20]@+");
            text.append(8 * i);
        }
        load(
                ProgramOptions.of(RegisterTable.X86_64, TargetFilter.process(1)).withTasks(tasks),
                specs(text.append(")").toString()));
    }

    @Test
    void everyTracepointOfTheKernelCanBeRecordedWithAllItsFields() throws Exception {
        ProgramOptions options =
                ProgramOptions.of(RegisterTable.X86_64, TargetFilter.process(1)).withSizes(1 << 16, 512);
        List<ProbeSpec> specs = new ArrayList<>();
        for (String category : List.of("sched", "block", "net", "tcp", "syscalls", "kmem", "irq", "signal", "timer")) {
            ProbeSpec all = SpecParser.parse("tracepoint:" + category + ":*");
            TracepointFinder.open().formats(all).stream()
                    .limit(40)
                    .forEach(format -> specs.add(SpecParser.parse("tracepoint:" + category + ":" + format.name())));
        }
        assertThat(specs).hasSizeGreaterThan(100);
        load(options, specs);
    }

    private static List<ProbeSpec> specs(String... texts) {
        return Stream.of(texts).map(SpecParser::parse).toList();
    }

    private static void load(ProgramOptions options, List<ProbeSpec> specs) throws Exception {
        load(plan(options, specs));
    }

    private static ProgramPlan plan(ProgramOptions options, List<ProbeSpec> specs) throws Exception {
        List<ResolvedProbe> probes = new ArrayList<>();
        int id = 1;
        for (ProbeSpec spec : specs) {
            probes.add(ResolvedProbe.of(
                    id,
                    spec,
                    spec.kind() == ProbeKind.TRACEPOINT
                            ? Optional.of(TracepointFinder.open().formats(spec).get(0))
                            : Optional.empty()));
            id += spec.idCount();
        }
        return ProgramPlanner.plan(probes, options);
    }

    private static void load(ProgramPlan plan) {
        assertThatCode(() -> FunctionsInC.link(plan).load().close()).doesNotThrowAnyException();
    }
}
