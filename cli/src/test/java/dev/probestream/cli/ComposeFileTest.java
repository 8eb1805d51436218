package dev.probestream.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.machine.Capability;
import dev.probestream.cli.doctor.Permission;
import java.io.IOException;
import java.io.Reader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import picocli.CommandLine;
import picocli.CommandLine.ParseResult;

/** What docker-compose.yml says fits what the commands take and what the kernel asks for. */
class ComposeFileTest {
    /** The top folder; tests run in the module cli. */
    private static final Path TOP = Path.of("").toAbsolutePath().resolveSibling("docker-compose.yml");

    private static final List<String> SINKS = List.of("sink-perfetto", "sink-chrome", "sink-parquet");

    private static Map<String, Map<String, Object>> services = Map.of();

    @BeforeAll
    @SuppressWarnings("unchecked")
    static void read() throws IOException {
        try (Reader reader = Files.newBufferedReader(TOP)) {
            Map<String, Object> file = new Yaml(new SafeConstructor(new LoaderOptions())).load(reader);
            services = (Map<String, Map<String, Object>>) Objects.requireNonNull(file.get("services"));
        }
    }

    @Test
    void thereIsABrokerACollectorAndThreeSinks() {
        assertThat(services.keySet())
                .containsExactlyInAnyOrder("kafka", "collector", "sink-perfetto", "sink-chrome", "sink-parquet");
        assertThat(service("kafka")).containsEntry("image", "apache/kafka:4.3.1");
    }

    @Test
    void everyCommandIsOneThatWeTake() {
        ParseResult collector = parse("collector");
        assertThat(collector.subcommand().commandSpec().name()).isEqualTo("collect");
        assertThat(collector.subcommand().matchedOptionValue("--comm", "")).isEqualTo("node");
        for (String sink : SINKS) {
            ParseResult parsed = parse(sink);
            assertThat(parsed.subcommand().commandSpec().name()).isEqualTo("sink");
            assertThat(parsed.subcommand().matchedOptionValue("--output", Path.of("")))
                    .isEqualTo(Path.of("/data"));
        }
    }

    @Test
    void everySinkHasAVolumeAndAPageOfMetricsOfItsOwn() {
        List<Object> volumes = new ArrayList<>();
        List<Object> ports = new ArrayList<>();
        for (String sink : SINKS) {
            volumes.addAll(list(sink, "volumes"));
            ports.add(parse(sink).subcommand().matchedOptionValue("--metrics-port", 0));
        }
        ports.add(parse("collector").subcommand().matchedOptionValue("--metrics-port", 0));

        assertThat(volumes).containsExactly("perfetto:/data", "chrome:/data", "parquet:/data");
        assertThat(ports).doesNotHaveDuplicates();
    }

    @Test
    void theCollectorHasTheCapabilitiesItNeedsAndNoMore() {
        assertThat(service("collector")).containsEntry("pid", "host").doesNotContainKey("privileged");
        assertThat(list("collector", "cap_drop")).containsExactly("ALL");
        assertThat(list("collector", "cap_add")).containsExactly("BPF", "PERFMON", "SYS_PTRACE");
        Set<Capability> missing = Permission.missing(Set.of(Capability.CAP_BPF, Capability.CAP_PERFMON));
        assertThat(missing).isEmpty();
    }

    @Test
    @SuppressWarnings("unchecked")
    void theImageIsMadeByAFileThatIsThereOfWhatTheContextHas() throws IOException {
        Map<String, Object> build = (Map<String, Object>)
                Objects.requireNonNull(service("collector").get("build"));
        assertThat(build).containsEntry("context", ".");
        Path file = TOP.resolveSibling((String) Objects.requireNonNull(build.get("dockerfile")));

        String archives = "deploy/target/dist/probestream-*-linux-*.tar.gz";
        assertThat(file).content().contains("COPY " + archives + " ");
        assertThat(TOP.resolveSibling(".dockerignore")).hasContent("*\n!" + archives + "\n");
    }

    @Test
    void sinksRunWithoutPrivileges() {
        for (String sink : SINKS) {
            assertThat(list(sink, "cap_drop")).containsExactly("ALL");
            assertThat(service(sink)).containsEntry("user", "10001:10001").doesNotContainKey("cap_add");
        }
    }

    @Test
    void nothingListensToOtherMachines() {
        assertThat(list("kafka", "ports"))
                .allSatisfy(port -> assertThat((String) port).startsWith("127.0.0.1:"));
        for (String service : services.keySet()) {
            if (!service.equals("kafka")) {
                assertThat(service(service)).doesNotContainKey("ports").containsEntry("network_mode", "host");
            }
        }
    }

    private static ParseResult parse(String service) {
        String[] words = list(service, "command").stream()
                .map(word -> withDefaults((String) word))
                .toArray(String[]::new);
        CommandLine commandLine = Commands.commandLine(new Failures(Path.of("/tmp")));
        return commandLine.parseArgs(words);
    }

    /** {@code ${NAME:-default}} as compose reads it when NAME is not set. */
    private static String withDefaults(String word) {
        return word.replaceAll("\\$\\{[A-Z_]+:-([^}]*)}", "$1");
    }

    private static Map<String, Object> service(String name) {
        return Objects.requireNonNull(services.get(name));
    }

    @SuppressWarnings("unchecked")
    private static List<Object> list(String service, String key) {
        return (List<Object>) Objects.requireNonNull(service(service).get(key));
    }
}
