package dev.probestream.collector.probe.preset;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.probestream.collector.probe.ArgumentSpec;
import dev.probestream.collector.probe.ArgumentType;
import dev.probestream.collector.probe.PresetTraits.Attaching;
import dev.probestream.collector.probe.PresetTraits.FileCondition;
import dev.probestream.collector.probe.PresetTraits.KnownLayout;
import dev.probestream.collector.probe.ProbeCases;
import dev.probestream.collector.probe.ProbeKind;
import dev.probestream.collector.probe.ProbeSpec;
import dev.probestream.collector.probe.SpecSyntaxException;
import dev.probestream.collector.probe.StackSpec;
import dev.probestream.collector.probe.TextRule;
import dev.probestream.collector.probe.parse.SpecParser;
import dev.probestream.schema.record.FlowStep;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ProbeSetTest {
    static List<String> names() {
        return ProbeSet.names();
    }

    @ParameterizedTest
    @MethodSource("names")
    void everyPresetIsReadableAndItsProbesCarryItsName(String name) {
        ProbeSet set = ProbeSet.named(name);

        assertThat(set.name()).isEqualTo(name);
        assertThat(set.description()).endsWith(".");
        assertThat(set.probes())
                .isNotEmpty()
                .allMatch(spec -> spec.preset().category().equals(name));
        assertThat(set.probes()).doesNotHaveDuplicates();
        assertThat(set.probes())
                .allMatch(spec -> spec.preset().optional() == spec.kind().isInUserSpace()
                        || spec.kind().isOneSyscall());
        assertThat(set.fits()).isNotBlank();
    }

    @Test
    void theIndexHasEveryFileOfTheFolder() throws Exception {
        Path folder = Path.of(Objects.requireNonNull(ProbeSet.class.getResource("/dev/probestream/presets/index.yaml"))
                        .toURI())
                .getParent();

        try (Stream<Path> files = Files.list(Objects.requireNonNull(folder))) {
            assertThat(files.map(file -> file.getFileName().toString()).filter(name -> !name.equals("index.yaml")))
                    .containsExactlyInAnyOrderElementsOf(ProbeSet.names().stream()
                            .map(name -> name + ".yaml")
                            .toList());
        }
    }

    @Test
    void setsAndGroupsAreListedWithTheirDescriptions() {
        assertThat(ProbeSet.descriptions()).extracting(ProbeSet.Entry::name).isEqualTo(ProbeSet.names());
        assertThat(ProbeSet.descriptions())
                .contains(new ProbeSet.Entry(
                        "syscalls",
                        "System calls of the traced threads, counted; those that last 1 ms, fail or are of certain"
                                + " kinds, with arguments."));
        assertThat(ProbeSet.groups()).extracting(ProbeSet.Entry::name).containsExactly("all", "watch", "incident");
        assertThat(ProbeSet.groups())
                .allMatch(group -> group.description().endsWith("."))
                .allSatisfy(group -> assertThat(ProbeSet.names())
                        .containsAll(PresetReader.index().matching(group.name())));
    }

    /** Otherwise a capture with both sets has two probes where it should have one, or the one that the other set does not expect. */
    @Test
    void aProbeOfSeveralSetsIsTheSameInEach() {
        Map<List<Object>, Map<String, Set<ProbeSpec>>> byPlace = new HashMap<>();
        for (String set : ProbeSet.names()) {
            for (ProbeSpec spec : ProbeSet.named(set).probes()) {
                byPlace.computeIfAbsent(
                                List.of(spec.preset().name(), spec.kind(), spec.module(), spec.function()),
                                place -> new HashMap<>())
                        .computeIfAbsent(set, of -> new HashSet<>())
                        .add(spec.inCategory(""));
            }
        }
        byPlace.values()
                .forEach(sets -> sets.keySet()
                        .removeIf(set -> ProbeSet.named(set)
                                .unless()
                                .filter(sets::containsKey)
                                .isPresent()));
        assertThat(byPlace).anySatisfy((place, sets) -> assertThat(sets).hasSizeGreaterThan(1));
        assertThat(byPlace)
                .allSatisfy((place, sets) -> assertThat(Set.copyOf(sets.values()))
                        .as("%s of %s", place, sets.keySet())
                        .hasSize(1));
    }

    @Test
    void aSetIsLeftOutBesideTheOneThatRecordsTheSameAndMore() {
        assertThat(ProbeSet.select(List.of("node-requests")))
                .extracting(spec -> spec.preset().category())
                .containsOnly("node-requests");
        assertThat(ProbeSet.select(List.of("node-requests,node-dns", "node-http")))
                .extracting(spec -> spec.preset().category())
                .contains("node-http", "node-dns")
                .doesNotContain("node-requests");
    }

    @Test
    void fileSystemCallsAreTiedTogetherByTheirRequest() {
        List<ProbeSpec> probes = ProbeSet.named("node-fs").probes();

        assertThat(flow(called(probes, "uv__fs_work"))).isEqualTo(FlowStep.STEP);
        assertThat(flow(called(probes, "uv__fs_done"))).isEqualTo(FlowStep.END);
        assertThat(called(probes, "uv__fs_work").filter())
                .isEqualTo(SpecParser.parse("span:f /*arg1:u64@-256 != 0/").filter());
        assertThat(called(probes, "uv__fs_work").arguments())
                .filteredOn(argument -> argument.name().equals("type"))
                .singleElement()
                .satisfies(type -> assertThat(type.labels()).hasSize(37).containsEntry("1", "open"));
    }

    @Test
    void anOperationOnAFileIsProbedAtThreePlacesAndASynchronousOneAtOne() {
        assertThat(ProbeSet.select(List.of("node-fs,node-pool,node-callers")))
                .filteredOn(spec ->
                        spec.function().contains("fs_") || spec.function().equals("uv__work_submit"))
                .extracting(ProbeSpec::function)
                .containsOnly("uv__work_submit", "uv__fs_work", "uv__fs_done");
    }

    @Test
    void eachFunctionOfTheFileSystemIsACaseOfTheOneProbeWithItsOwnArguments() {
        for (String name : List.of("fs call", "synchronous fs call")) {
            ProbeSpec spec = called(ProbeSet.named("node-fs").probes(), name);
            ProbeCases cases = spec.preset().cases();
            assertThat(spec.idCount()).as(name).isEqualTo(37);
            assertThat(cases.byValue()).hasSize(36);
            assertThat(spec.arguments().get(cases.selector()).name()).isEqualTo("type");
            assertThat(cases.byValue().values())
                    .allSatisfy(one -> assertThat(one.arguments())
                            .filteredOn(argument -> argument.name().equals("request"))
                            .extracting(ArgumentSpec::flow)
                            .containsExactly(FlowStep.START));
            ProbeCases.Case sendfile =
                    Optional.ofNullable(cases.byValue().get(5L)).orElseThrow();
            assertThat(sendfile.name()).isEqualTo("uv_fs_sendfile");
            assertThat(sendfile.arguments())
                    .extracting(ArgumentSpec::name)
                    .containsExactly(
                            "fd",
                            "in_fd",
                            "offset",
                            "length",
                            "request",
                            "callback",
                            "async_id",
                            "trigger_id",
                            "context",
                            "trace_id",
                            "span_id",
                            "served_stream");
            assertThat(sendfile.arguments()).extracting(ArgumentSpec::unit).startsWith("", "", "bytes", "bytes");
            assertThat(sendfile.sources().stream()
                            .map(source -> spec.arguments().get(source).name()))
                    .startsWith("file", "flags", "offset", "length", "request", "callback");
        }
        assertThat(called(ProbeSet.named("node-fs").probes(), "synchronous fs call")
                        .preset()
                        .cases()
                        .byValue()
                        .values())
                .allSatisfy(one -> assertThat(one.result())
                        .hasValueSatisfying(result -> assertThat(result.unit()).isEqualTo("errno")));
    }

    private static ProbeSpec called(List<ProbeSpec> probes, String name) {
        return probes.stream()
                .filter(spec -> spec.preset().name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    private static ProbeSpec named(List<ProbeSpec> probes, String function) {
        return probes.stream()
                .filter(spec -> spec.function().equals(function))
                .findFirst()
                .orElseThrow();
    }

    private static FlowStep flow(ProbeSpec spec) {
        return spec.arguments().stream()
                .filter(argument -> argument.name().equals("request"))
                .findFirst()
                .orElseThrow()
                .flow();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "node-loop | node-loop",
                "node-* | node-http,node-http2,node-websocket,node-net,node-db,node-dns,node-fs,node-pool,node-turns,node-loop,node-gc,node-crash,node-callers",
                "all | node-http,node-http2,node-websocket,node-net,node-db,node-dns,node-fs,node-pool,node-loop,node-gc,node-crash,syscalls,sched,process",
                "watch | profile,node-requests,node-http2,node-statements,node-dns,node-turns,node-gc,node-crash,syscalls,sched,process",
                "watch,node-fs | profile,node-requests,node-http2,node-statements,node-dns,node-fs,node-turns,node-gc,node-crash,syscalls,sched,process",
                "incident | node-http,node-http2,node-websocket,node-net,node-db,node-dns,node-fs,node-pool,node-loop,node-gc,node-crash,node-callers,syscalls,sched,profile,process",
                "sched,node-gc | node-gc,sched",
                "s* | syscalls,sched",
                "node-loop,node-loop | node-loop",
                "jvm*,redis | jvm,jvm-methods,redis",
                "go-http | go-http",
            })
    void setsAreSelectedByNameGlobAndList(String wanted, String categories) {
        assertThat(ProbeSet.select(List.of(wanted)).stream()
                        .map(spec -> spec.preset().category())
                        .distinct()
                        .toList())
                .containsExactly(categories.split(","));
    }

    @Test
    void aProbeThatTwoSetsHaveCountsOnce() {
        List<ProbeSpec> all = ProbeSet.select(List.of("all"));

        for (String shared :
                List.of("uv_accept", "uv_tcp_connect", "uv_close", "uv__fs_done", "uv__getaddrinfo_done")) {
            // Those of node-db and node-websocket are none of them: what they see is put together by the collector.
            assertThat(all)
                    .filteredOn(spec -> spec.function().equals(shared))
                    .filteredOn(spec -> !List.of("node-db", "node-statements", "node-websocket")
                            .contains(spec.preset().category()))
                    .as(shared)
                    .hasSize(1);
        }
        assertThat(named(all, "uv_accept").preset().category()).isEqualTo("node-http");
        assertThat(named(all, "uv__fs_done").preset().category()).isEqualTo("node-fs");
        assertThat(all)
                .filteredOn(spec -> spec.preset().role().equals("pool.submit"))
                .extracting(ProbeSpec::text)
                .as("each kind of work once, whatever the sets; what is queued with and without a kind")
                .hasSize(6);
    }

    @Test
    void specsAndSetsGoTogetherAndNothingCountsTwice() {
        List<ProbeSpec> selected =
                ProbeSet.select(List.of("sched", "uprobe:f", "sched", "uprobe:f", "syscalls [stack]"));

        assertThat(selected).extracting(spec -> spec.preset().category()).containsExactly("sched", "user", "user");
    }

    @Test
    void switchesAreRecordedOnceWithAllStacksThatAreAskedFor() {
        assertThat(ProbeSet.select(List.of("all", "offcpu", "sched [kstack]")))
                .filteredOn(spec -> spec.kind() == ProbeKind.SCHED)
                .singleElement()
                .satisfies(spec -> {
                    assertThat(spec.stack()).isEqualTo(new StackSpec(true, true));
                    assertThat(spec.preset().category()).isEqualTo("sched");
                });
        assertThat(ProbeSet.select(List.of("offcpu,sched")))
                .singleElement()
                .isEqualTo(ProbeSet.named("sched")
                        .probes()
                        .get(0)
                        .withEvents("all", "")
                        .withStack(new StackSpec(true, false), "sched:all [ustack]"));
    }

    /** The names of JavaScript functions are in the memory of the process. */
    @Test
    void stackAfterWhichNodeEndsIsReadAtOnce() {
        assertThat(ProbeSet.named("node-crash").probes())
                .filteredOn(spec -> spec.kind() == ProbeKind.UPROBE)
                .allMatch(spec -> spec.preset().wakes() == spec.stack().user());
        assertThat(ProbeSet.named("node-callers").probes())
                .noneMatch(spec -> spec.preset().wakes());
    }

    @Test
    void everySynchronousCallOfTheFileSystemIsAskedForItsCaller() {
        List<ProbeSpec> callers = ProbeSet.named("node-callers").probes();

        ProbeSpec caller = called(callers, "caller of synchronous fs call");
        assertThat(caller.function()).isEqualTo("uv__fs_work");
        assertThat(caller.filter())
                .isEqualTo(SpecParser.parse("uprobe:f /*arg1:u64@-256 == 0/").filter());
        assertThat(caller.preset().cases().byValue().values())
                .extracting(one -> one.name().replace("caller of sync ", "uv_fs_"))
                .containsExactlyInAnyOrderElementsOf(
                        called(ProbeSet.named("node-fs").probes(), "synchronous fs call")
                                .preset()
                                .cases()
                                .byValue()
                                .values()
                                .stream()
                                .map(ProbeCases.Case::name)
                                .toList());
        // Who handles a rejection is of no interest: that it is handled is.
        assertThat(callers)
                .allMatch(spec -> spec.stack().user() != spec.preset().name().equals("rejection handled"));
    }

    @Test
    void aSetThatIsNotThereIsMarkedAndTheOthersNamed() {
        assertThatThrownBy(() -> ProbeSet.select(List.of("sched,node-lop")))
                .isInstanceOfSatisfying(
                        SpecSyntaxException.class, e -> assertThat(e.position()).isEqualTo(6))
                .hasMessageContaining("no probe set is called node-lop")
                .hasMessageContaining("node-loop");
        assertThatThrownBy(() -> ProbeSet.named("nothing")).hasMessageContaining("no probe set is called nothing");
    }

    @Test
    void aProbeOverridesWhatItsFileSaysOfArguments() {
        ProbeSet set = PresetReader.parse("""
                name: test
                description: A test.
                fits: a test
                defaults:
                  returnUnit: errno
                  units: {n: bytes, other: ns}
                  labels: {n: {0: none}}
                probes:
                  - spec: span:f(n=arg1:u32, ret:s32)
                    when: "arg2:u8 <= -3"
                  - spec: span:g(n=arg1:u32, ret:s32)
                    name: shown
                    optional: false
                    returnUnit: count
                    units: {n: count}
                    labels: {n: {1: one}}
                    flows: {n: STEP}
                """);

        ProbeSpec first = set.probes().get(0);
        ProbeSpec second = set.probes().get(1);
        assertThat(first.arguments().get(0).unit()).isEqualTo("bytes");
        assertThat(first.arguments().get(0).labels()).isEqualTo(Map.of("0", "none"));
        assertThat(first.result())
                .hasValueSatisfying(result -> assertThat(result.unit()).isEqualTo("errno"));
        assertThat(first.preset().optional()).isTrue();
        assertThat(first.displayName("resolved")).isEqualTo("resolved");
        assertThat(first.filter())
                .isEqualTo(SpecParser.parse("span:f /arg2:u8 <= -3/").filter());
        assertThat(second.arguments().get(0).unit()).isEqualTo("count");
        assertThat(second.arguments().get(0).labels()).isEqualTo(Map.of("1", "one"));
        assertThat(second.arguments().get(0).flow()).isEqualTo(FlowStep.STEP);
        assertThat(second.result())
                .hasValueSatisfying(result -> assertThat(result.unit()).isEqualTo("count"));
        assertThat(second.preset().optional()).isFalse();
        assertThat(second.displayName("resolved")).isEqualTo("shown");
    }

    @Test
    void aPresetThatDescribesWhatIsNotThereIsRefused() {
        assertThatThrownBy(() -> PresetReader.parse("""
                        name: test
                        description: A test.
                        fits: a test
                        probes:
                          - spec: span:f(n=arg1:u32)
                            units: {m: count}
                        """)).hasMessageContaining("[m], no arguments of span:f");
        assertThatThrownBy(() -> PresetReader.parse("name: test\nfoo: bar\n")).hasMessageContaining("read a preset");
    }

    @Test
    void aProbeCanAwaitWhatAnotherOneAnnounces() {
        List<ProbeSpec> probes = PresetReader.parse(preset("""
                  - spec: uprobe:f
                    announces: TLS
                  - spec: span:g
                    awaits: TLS
                  - spec: span:h
                """)).probes();

        assertThat(probes)
                .extracting(spec -> spec.preset().attaching())
                .containsExactly(new Attaching("", "TLS"), new Attaching("TLS", ""), Attaching.AT_START);
        assertThat(probes).extracting(spec -> spec.preset().wakes()).containsExactly(true, false, false);
    }

    @Test
    void whatAProbeAwaitsMustBeAnnouncedInItsSet() {
        assertThatThrownBy(() -> PresetReader.parse(preset("""
                  - spec: uprobe:f
                    announces: QUIC
                  - spec: span:g
                    awaits: TLS
                """)))
                .hasMessage("the probes of the preset test await [TLS] and announce [QUIC], which must be the same");
        assertThatThrownBy(() -> PresetReader.parse(preset("""
                  - spec: sched
                    awaits: TLS
                """)))
                .hasMessageContaining("the probe sched awaits TLS, but only probes in user functions can");
        assertThatThrownBy(() -> PresetReader.parse(preset("""
                  - spec: span:f
                    announces: TLS
                """)))
                .hasMessageContaining("the probe span:f announces TLS: it must be an entry or a return");
    }

    @Test
    void aProbeSaysWhatItsHitsAndTextsMeanAndWhichFilesItIsMeantFor() {
        ProbeSet set = PresetReader.parse(preset("""
                  - spec: uprobe:f(parser=arg1:ptr, url=arg2:str[..arg3,256])
                    role: http.url
                    requires: g
                    lacks: h
                    texts: {url: url_piece}
                  - spec: uprobe:f
                """));

        ProbeSpec first = set.probes().get(0);
        assertThat(first.preset().role()).isEqualTo("http.url");
        assertThat(first.preset().files()).isEqualTo(new FileCondition(Optional.of("g"), Optional.of("h")));
        assertThat(first.arguments())
                .extracting(ArgumentSpec::textRule)
                .containsExactly(TextRule.PLAIN, TextRule.URL_PIECE);
        assertThat(first.arguments().get(1).type()).isEqualTo(ArgumentType.stringUpTo(3, 256));
        ProbeSpec second = set.probes().get(1);
        assertThat(second.preset().role()).isEmpty();
        assertThat(second.preset().files()).isEqualTo(FileCondition.NONE);
    }

    @Test
    void aProbeIsOneForEachVersionThatDiffersOrForFilesOfNone() {
        ProbeSet set = PresetReader.parse("""
                name: test
                description: A test.
                fits: a test
                versions:
                  parser:
                    "1.0": {layout: {function: f, code: [488d5fb0]}, fields: {function: f, url: 1632}}
                    "2.0":
                      layout: {function: f, code: [488d], and: {function: g, code: [5fb0]}}
                      fields: {function: g, url: 9832}
                  write:
                    "1.0": {requires: h, fields: {size: 4}}
                    "2.0": {lacks: h, fields: {size: 8}}
                probes:
                  - spec: uprobe:{function}(text=*arg1:str[+16,512]@+{url})
                    variants: parser
                  - spec: uprobe:f
                    otherVariants: parser
                  - spec: uprobe:f
                    when: "*arg1:u64@+{size} > 0"
                    variants: write
                    otherVariants: parser
                """);
        KnownLayout first = new KnownLayout("1.0", "f", List.of("488d5fb0"));
        KnownLayout second =
                new KnownLayout("2.0", "f", List.of("488d"), Optional.of(new KnownLayout("2.0", "g", List.of("5fb0"))));

        assertThat(set.probes())
                .extracting(ProbeSpec::text)
                .startsWith(
                        "uprobe:f(text=*arg1:str[+16,512]@+1632)",
                        "uprobe:g(text=*arg1:str[+16,512]@+9832)",
                        "uprobe:f");
        assertThat(set.probes())
                .extracting(spec -> spec.preset().files())
                .containsExactly(
                        new FileCondition(Optional.empty(), Optional.empty(), List.of(first), List.of()),
                        new FileCondition(Optional.empty(), Optional.empty(), List.of(second), List.of()),
                        new FileCondition(Optional.empty(), Optional.empty(), List.of(), List.of(first, second)),
                        new FileCondition(Optional.of("h"), Optional.empty(), List.of(), List.of(first, second)),
                        new FileCondition(Optional.empty(), Optional.of("h"), List.of(), List.of(first, second)));
        assertThat(set.probes().get(4).filter())
                .isEqualTo(SpecParser.parse("uprobe:f /*arg1:u64@+8 > 0/").filter());
        assertThat(set.probes().get(0).arguments().get(0).type())
                .isEqualTo(ArgumentType.stringWithLengthBehind(16, 512));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "uprobe:f | variants: x | names x, of which no versions are known",
                "uprobe:f | otherVariants: x | names x, of which no versions are known",
                "uprobe:f(n=arg{number}) | variants: llhttp | no field for the brace in uprobe:f(n=arg{number})",
                "uprobe:f(n=arg{number}) | role: x | no field for the brace in uprobe:f(n=arg{number})"
            })
    void aVersionThatDoesNotFitIsRefused(String spec, String said, String message) {
        String probe = "  - spec: " + spec + "\n    " + said + "\n";
        assertThatThrownBy(() -> PresetReader.parse(preset(probe))).hasMessageContaining(message);
    }

    @Test
    void aProbeWithTwoConditionsOfOneKindIsRefused() {
        assertThatThrownBy(() -> PresetReader.parse(preset("  - spec: uprobe:f\n    lacks: g\n    variants: llhttp\n")))
                .hasMessageContaining("the condition g, and its version llhttp__on_method_complete");
    }

    @Test
    void requestsBringTheCallbacksOfTheLoopToWhatElseIsRecordedAndOnlyOnce() {
        List<ProbeSpec> alone = ProbeSet.select(List.of("node-http"));
        List<ProbeSpec> withFiles = ProbeSet.select(List.of("node-http", "usdt:a:b"));
        List<ProbeSpec> withLoop = ProbeSet.select(List.of("node-http,node-loop"));

        assertThat(alone).isEqualTo(ProbeSet.named("node-http").probes());
        assertThat(withFiles)
                .filteredOn(spec -> spec.preset().category().equals("node-loop"))
                .extracting(spec -> spec.preset().role())
                .contains("loop.poll", "loop.callback")
                .doesNotContain("");
        assertThat(withLoop)
                .hasSize(ProbeSet.named("node-http").probes().size()
                        + ProbeSet.named("node-loop").probes().size());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "span:f(n=arg1:u32) | texts: {n: url} | has a text rule for n, which is not a text of",
                "span:f(n=arg1:str) | texts: {m: url} | [m], no arguments",
                "span:f(n=arg1:str, parser=arg2:str) | texts: {n: url_piece} | no number called parser",
                "tracepoint:a:b | requires: g | is not a probe in a user function",
                "usdt:a:b | lacks: g | is not a probe in a user function",
            })
    void aPresetThatContradictsItselfIsRefused(String spec, String said, String message) {
        assertThatThrownBy(() -> PresetReader.parse(preset("  - spec: " + spec + "\n    " + said + "\n")))
                .hasMessageContaining(message);
    }

    private static String preset(String probes) {
        return "name: test\ndescription: A test.\nfits: a test\nprobes:\n" + probes;
    }
}
