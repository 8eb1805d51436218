package dev.probestream.cli.doctor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.catalog.JavaScriptNaming;
import dev.probestream.collector.catalog.PerfMapState;
import java.util.List;
import org.junit.jupiter.api.Test;

class NodeTargetChecksTest {
    private static final String MAP = "/tmp/perf-7.map";

    private static final JavaScriptNaming UNREADABLE = JavaScriptNaming.refused("", "this V8 is unknown");

    private static CheckResult stacks(PerfMapState state, String... commandLine) {
        return NodeTargetChecks.perfMapStacks(state, MAP, NodeOptions.of(List.of(commandLine), ""));
    }

    @Test
    void eventsOfANodeWithUnknownCodeHaveNoAsyncContext() {
        CheckResult known = NodeTargetChecks.contexts(new JavaScriptNaming("12.4.254.21", "", "", ""));
        CheckResult unknown =
                NodeTargetChecks.contexts(new JavaScriptNaming("15.0.1.1", "", "", "the code of f is another"));

        assertThat(known.status()).isEqualTo(CheckResult.Status.OK);
        assertThat(unknown.status()).isEqualTo(CheckResult.Status.LIMITED);
        assertThat(unknown.feature()).isEqualTo("async contexts");
        assertThat(unknown.found())
                .isEqualTo("not readable, so that the request of many events is unknown: the code of f is another");
    }

    @Test
    void readableMemoryNamesFunctionsWithoutAFlag() {
        List<CheckResult> results = NodeTargetChecks.memoryStacks(new JavaScriptNaming("12.4.254.21", "", "", ""));

        assertThat(results).allMatch(result -> result.status() == CheckResult.Status.OK);
        assertThat(results)
                .extracting(CheckResult::found)
                .containsExactly(
                        "function, file and line of each function, also of inlined ones, and the line of each call, from the"
                                + " memory of the process (V8 12.4.254.21); no flag of Node.js is needed",
                        "the functions that await the running one follow it in its stack");
    }

    @Test
    void memoryWithoutAsyncCallersSaysWhy() {
        CheckResult async = NodeTargetChecks.memoryStacks(
                        new JavaScriptNaming("15.0.1.1", "", "it has no table of builtins", ""))
                .get(1);

        assertThat(async.status()).isEqualTo(CheckResult.Status.LIMITED);
        assertThat(async.found())
                .isEqualTo(
                        "not known, so that a stack ends at the function that runs after an await: it has no table of"
                                + " builtins");
    }

    @Test
    void unreadableMemoryIsSaidBesideThePerfMap() {
        CheckResult finding =
                NodeTargetChecks.withObstacle(stacks(PerfMapState.MISSING, "node", "server.js"), UNREADABLE);

        assertThat(finding.found())
                .isEqualTo("JavaScript frames have no names: " + MAP
                        + " does not exist; the names are not read from the memory of the process: this V8 is unknown");
        assertThat(finding.remedy()).startsWith("start it with NODE_OPTIONS=");
    }

    @Test
    void withBothFlagsEveryFrameHasItsName() {
        CheckResult finding =
                stacks(PerfMapState.OWN, "node", "--perf-basic-prof", "--interpreted-frames-native-stack", "server.js");

        assertThat(finding.status()).isEqualTo(CheckResult.Status.OK);
        assertThat(finding.found()).startsWith("function, file and line of JavaScript, from " + MAP);
    }

    @Test
    void withThePerfMapAloneInterpretedFunctionsHaveNoNames() {
        CheckResult finding = stacks(PerfMapState.OWN, "node", "--perf-basic-prof", "server.js");

        assertThat(finding.status()).isEqualTo(CheckResult.Status.LIMITED);
        assertThat(finding.found()).contains("compiled JavaScript").contains("interpreted functions have no names");
        assertThat(finding.remedy()).contains("--interpreted-frames-native-stack");
    }

    @Test
    void withoutAFlagTheFlagsAreNamed() {
        CheckResult finding = stacks(PerfMapState.MISSING, "node", "server.js");

        assertThat(finding.status()).isEqualTo(CheckResult.Status.LIMITED);
        assertThat(finding.found()).endsWith(MAP + " does not exist");
        assertThat(finding.remedy())
                .isEqualTo("start it with NODE_OPTIONS='--perf-basic-prof --interpreted-frames-native-stack'");
    }

    @Test
    void perfMapThatIsNotWhereItShouldBeIsSaid() {
        assertThat(stacks(PerfMapState.MISSING, "node", "--perf-basic-prof", "server.js")
                        .found())
                .contains("it was started with --perf-basic-prof, but " + MAP + " does not exist");
    }

    @Test
    void perfMapOfAnEarlierProcessIsSaid() {
        assertThat(stacks(PerfMapState.OLDER_THAN_PROCESS, "node", "server.js").found())
                .contains("older than the process");
    }

    @Test
    void optionsOfTheScriptAreNotThoseOfNode() {
        NodeOptions options = NodeOptions.of(
                List.of(
                        "node",
                        "-r",
                        "dotenv/config",
                        "--perf_basic_prof",
                        "app.js",
                        "--interpreted-frames-native-stack"),
                "");

        assertThat(options.has("perf-basic-prof")).isTrue();
        assertThat(options.has("interpreted-frames-native-stack")).isFalse();
    }

    @Test
    void nodeOptionsOfTheEnvironmentCountToo() {
        assertThat(NodeOptions.of(List.of("node", "app.js"), " --max-old-space-size=99 --perf-basic-prof ")
                        .has("perf-basic-prof"))
                .isTrue();
        assertThat(NodeOptions.of(List.of("node", "--no-perf-basic-prof", "app.js"), "--perf-basic-prof")
                        .has("perf-basic-prof"))
                .isFalse();
    }
}
