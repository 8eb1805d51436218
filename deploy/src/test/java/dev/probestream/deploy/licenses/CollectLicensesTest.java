package dev.probestream.deploy.licenses;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.probestream.deploy.deb.ToolRun;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** licenses/collect on small trees, and on the jars of the last build. */
class CollectLicensesTest {
    private static final Path LICENSES = Path.of("licenses").toAbsolutePath();

    @TempDir
    private Path tree;

    @BeforeAll
    static void theToolsAreThere() {
        ToolRun.require("unzip");
    }

    @Test
    void theListNamesEveryLibraryWithItsLicenceAndTexts() throws Exception {
        jar("lib/zstd-jni-1.5.7-28.jar", "a.txt");
        jar("lib/broker/kafka-raft-4.3.1.jar", "LICENSE", "NOTICE");
        jar("lib/jffi-1.4.3-native.jar", "jni/x.so");
        jar("probestream.jar", "META-INF/MANIFEST.MF");
        Files.createDirectories(tree.resolve("runtime"));
        Files.writeString(tree.resolve("runtime/debian-version"), "17.0.21.1+2-1~deb12u1\n");

        assertThat(collect().exitCode()).isZero();

        assertThat(tree.resolve("licenses/THIRD-PARTY.txt"))
                .content()
                .contains("source package openjdk-17 of version 17.0.21.1+2-1~deb12u1")
                .doesNotContain("probestream.jar", "scala-library")
                .endsWith("""

                        jffi 1.4.3-native
                            From:    Maven, com.github.jnr:jffi
                            Licence: Apache-2.0 OR LGPL-3.0-or-later
                            Texts:   Apache-2.0.txt
                            Note:    Apache-2.0 is chosen.
                          with libffi in the native library (Anthony Green, Red Hat and others)
                            Licence: MIT
                            Texts:   libffi.txt
                          with queue.h in the native library (University of California)
                            Licence: BSD-3-Clause
                            Texts:   jffi-queue.txt

                        kafka-raft 4.3.1
                            From:    Maven, org.apache.kafka:kafka-raft
                            Licence: Apache-2.0
                            Texts:   kafka-raft-4.3.1/

                        zstd-jni 1.5.7-28
                            From:    Maven, com.github.luben:zstd-jni
                            Licence: BSD-2-Clause
                            Texts:   zstd-jni.txt
                          with Zstandard in the native library (Meta Platforms)
                            Licence: BSD-3-Clause OR GPL-2.0-only
                            Texts:   zstd.txt
                            Note:    BSD-3-Clause is chosen.
                        """);
        assertThat(collected())
                .containsExactlyInAnyOrder(
                        "THIRD-PARTY.txt",
                        "Apache-2.0.txt",
                        "libffi.txt",
                        "jffi-queue.txt",
                        "zstd-jni.txt",
                        "zstd.txt",
                        "kafka-raft-4.3.1/LICENSE",
                        "kafka-raft-4.3.1/NOTICE");
        String first = Files.readString(tree.resolve("licenses/THIRD-PARTY.txt"));
        assertThat(collect().exitCode()).isZero();
        assertThat(tree.resolve("licenses/THIRD-PARTY.txt")).content().isEqualTo(first);
    }

    @Test
    void aNewLibraryIsRefusedUntilTheIndexHasIt() throws Exception {
        jar("lib/left-pad-1.0.jar", "LICENSE");
        jar("lib/zstd-jni-1.5.7-28.jar", "a.txt");

        ToolRun run = collect();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output())
                .startsWith("licenses/collect: no licence is known for left-pad-1.0.jar: add left-pad to ");
    }

    @Test
    void aLibraryThatNoLongerHoldsItsLicenceIsRefused() throws Exception {
        jar("lib/avro-1.13.0.jar", "org/apache/avro/Schema.class");
        jar("lib/zstd-jni-1.5.7-28.jar", "a.txt");

        ToolRun run = collect();

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.output()).startsWith("licenses/collect: avro-1.13.0.jar holds no licence, and ");
    }

    @Test
    void everyTextBelongsToAnEntryOfTheIndex() throws IOException {
        Set<String> named = new TreeSet<>();
        for (String line : Files.readAllLines(LICENSES.resolve("index"))) {
            if (!line.isBlank() && !line.startsWith("#")) {
                List<String> columns =
                        Stream.of(line.split("\\|", -1)).map(String::strip).toList();
                assertThat(columns).as(line).hasSizeBetween(4, 5);
                named.addAll(List.of(columns.get(3).split(" ")));
            }
        }
        named.remove("-");

        Path folder = LICENSES.resolve("texts");
        try (Stream<Path> texts = Files.list(folder)) {
            assertThat(texts.map(text -> folder.relativize(text).toString()))
                    .containsExactlyInAnyOrderElementsOf(named);
        }
    }

    @Test
    @Tag("deep")
    void everyJarOfTheLastBuildHasALicence() throws Exception {
        Path program = Path.of("../cli/target").toAbsolutePath();
        assumeTrue(Files.isDirectory(program.resolve("lib")), "module cli has not been packaged");
        for (String folder : List.of("lib", "lib-broker", "lib-query")) {
            Files.createSymbolicLink(tree.resolve(folder), program.resolve(folder));
        }

        ToolRun run = collect();

        assertThat(run.exitCode()).as(run.output()).isZero();
    }

    private ToolRun collect() throws IOException, InterruptedException {
        return ToolRun.of(List.of(LICENSES.resolve("collect").toString(), tree.toString()), Map.of(), "");
    }

    private Set<String> collected() throws IOException {
        Path licenses = tree.resolve("licenses");
        try (Stream<Path> files = Files.walk(licenses)) {
            return files.filter(Files::isRegularFile)
                    .map(file -> licenses.relativize(file).toString())
                    .collect(Collectors.toSet());
        }
    }

    private void jar(String name, String... entries) throws IOException {
        Path jar = tree.resolve(name);
        Files.createDirectories(jar.resolveSibling(""));
        try (OutputStream file = Files.newOutputStream(jar);
                ZipOutputStream zip = new ZipOutputStream(file)) {
            for (String entry : entries) {
                zip.putNextEntry(new ZipEntry(entry));
                zip.write("content".getBytes(StandardCharsets.UTF_8));
                zip.closeEntry();
            }
        }
    }
}
