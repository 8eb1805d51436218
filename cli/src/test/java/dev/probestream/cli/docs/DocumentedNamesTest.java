package dev.probestream.cli.docs;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.collector.probe.preset.ProbeSet;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Types, probe sets and links that the pages name exist. */
class DocumentedNamesTest {
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern TYPE_IN_TEXT = Pattern.compile("`([A-Z][a-z0-9]+(?:[A-Z][a-z0-9]*)+)`");
    private static final Pattern DECLARATION =
            Pattern.compile("\\b(?:class|record|enum|interface) ([A-Z][A-Za-z0-9]+)");
    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#:]+)(?:#[^)]*)?\\)");
    private static final Pattern SET_ROW = Pattern.compile("(?m)^\\| `([a-z0-9-]+)` \\| ");
    private static final Pattern BOUND_ROW =
            Pattern.compile("(?m)^\\| [^|]+ \\| (?:2 x )?2\\^(\\d+) \\| `(\\w+)` \\|$");
    private static final Pattern THREAD = Pattern.compile("new Thread\\([^;]*?\"([a-z0-9 -]+)\"");
    private static final Path ASSEMBLY = ROOT.resolve("converters/src/main/java/dev/probestream/convert/request");
    private static final int MIN_BOUNDS = 10;
    private static final int README_LINES = 150;

    /** Names of V8, JavaScript, Perfetto and Confluent. */
    private static final Set<String> OTHER_PROJECTS = Set.of(
            "ArrayBuffer",
            "FunctionCallbackInfo",
            "InterpreterEntryTrampoline",
            "PerfSample",
            "PerformCheckpoint",
            "RecordNameStrategy",
            "RunMicrotasks",
            "TopicRecordNameStrategy");

    @Test
    void typesInBackticksAreDeclared() throws IOException {
        Set<String> declared = new TreeSet<>(OTHER_PROJECTS);
        try (Stream<Path> files = Files.walk(ROOT)) {
            for (Path file : files.filter(DocumentedNamesTest::isSource).toList()) {
                declared.addAll(matches(DECLARATION, Files.readString(file)));
            }
        }
        for (Path page : pages()) {
            Set<String> named = new TreeSet<>(matches(TYPE_IN_TEXT, Files.readString(page)));
            named.removeAll(declared);

            assertThat(named)
                    .as("types that " + page + " names and no source declares")
                    .isEmpty();
        }
    }

    @Test
    void linkedFilesExist() throws IOException {
        for (Path page : pages()) {
            for (String link : matches(LINK, Files.readString(page))) {
                assertThat(page.resolveSibling(link)).as("link in " + page).exists();
            }
        }
    }

    @Test
    void theReadmeListsEveryProbeSet() throws IOException {
        String readme = Files.readString(ROOT.resolve("README.md"));

        assertThat(matches(SET_ROW, readme)).containsExactlyElementsOf(ProbeSet.names());
        assertThat(readme.lines().count()).isLessThanOrEqualTo(README_LINES);
    }

    /** The bounds of docs/requests.md stand in the classes that it names. */
    @Test
    void boundsOfTheAssemblyAreThoseOfTheCode() throws IOException {
        Matcher row = BOUND_ROW.matcher(Files.readString(ROOT.resolve("docs/requests.md")));
        int rows = 0;
        while (row.find()) {
            rows++;
            assertThat(source(row.group(2))).as(row.group()).contains(" = 1 << " + row.group(1) + ";");
        }
        assertThat(rows).isGreaterThanOrEqualTo(MIN_BOUNDS);
    }

    /** The README of the collector lists the packages that others may use. */
    @Test
    void theCollectorsReadmeListsItsPublicPackages() throws IOException {
        String readme = Files.readString(ROOT.resolve("collector/README.md"));
        Path packages = ROOT.resolve("collector/src/main/java/dev/probestream/collector");
        try (Stream<Path> folders = Files.list(packages)) {
            List<String> names = folders.filter(Files::isDirectory)
                    .map(folder -> folder.getFileName().toString())
                    .filter(name -> !name.equals("internal"))
                    .toList();
            assertThat(names)
                    .isNotEmpty()
                    .allSatisfy(name -> assertThat(readme).contains("| `collector." + name + "` |"));
        }
    }

    /** ARCHITECTURE.md lists the threads that the collector starts, by their names. */
    @Test
    void theArchitectureListsTheThreadsOfTheCollector() throws IOException {
        String page = Files.readString(ROOT.resolve("ARCHITECTURE.md"));
        Set<String> names = new TreeSet<>();
        try (Stream<Path> files = Files.walk(ROOT.resolve("collector/src/main/java"))) {
            for (Path file : files.filter(DocumentedNamesTest::isSource).toList()) {
                names.addAll(matches(THREAD, Files.readString(file)));
            }
        }

        assertThat(names)
                .contains("probe-duty")
                .allSatisfy(name -> assertThat(page).contains("`" + name + (name.endsWith("-") ? "N`" : "`")));
    }

    private static String source(String type) throws IOException {
        try (Stream<Path> files = Files.walk(ASSEMBLY)) {
            Path file = files.filter(path -> path.endsWith(type + ".java"))
                    .findFirst()
                    .orElseThrow();
            return Files.readString(file);
        }
    }

    private static boolean isSource(Path file) {
        String name = file.toString();
        return (name.endsWith(".java") || name.endsWith(".avdl")) && name.contains("/src/");
    }

    private static List<Path> pages() throws IOException {
        try (Stream<Path> docs = Files.list(ROOT.resolve("docs"));
                Stream<Path> root = Stream.of("README.md", "ARCHITECTURE.md", "CONTRIBUTING.md")
                        .map(ROOT::resolve)) {
            return Stream.concat(root, docs.filter(file -> file.toString().endsWith(".md")))
                    .sorted()
                    .toList();
        }
    }

    private static List<String> matches(Pattern pattern, String text) {
        List<String> found = new ArrayList<>();
        Matcher matcher = pattern.matcher(text);
        while (matcher.find()) {
            found.add(matcher.group(1));
        }
        return found;
    }
}
