package dev.probestream.deploy.bom;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BomMainTest {
    private static final ObjectMapper JSON = new ObjectMapper();

    @TempDir
    private Path folder;

    @Test
    void theRuntimeIsAddedOnceAndTheSameEachTime() throws Exception {
        Path bom = Files.writeString(folder.resolve("a.cdx.json"), """
                {"bomFormat": "CycloneDX", "specVersion": "1.6",
                 "metadata": {"component": {"bom-ref": "self", "name": "probestream"}},
                 "components": [{"name": "xz", "version": "1.12", "purl": "pkg:maven/org.tukaani/xz@1.12?type=jar"}],
                 "dependencies": [{"ref": "self", "dependsOn": []}]}
                """);
        Path tree = folder.resolve("tree");
        Files.createDirectories(tree.resolve("lib"));
        Files.createFile(tree.resolve("lib/xz-1.12.jar"));
        Files.createFile(tree.resolve("probestream.jar"));
        Files.createDirectories(tree.resolve("runtime"));
        Files.writeString(tree.resolve("runtime/debian-version"), "17.0.21.1+2-1~deb12u1\n");

        BomMain.main(new String[] {bom.toString(), tree.toString()});
        String first = Files.readString(bom);
        BomMain.main(new String[] {bom.toString(), tree.toString()});

        assertThat(bom).content().isEqualTo(first);
        JsonNode root = JSON.readTree(first);
        String purl = "pkg:deb/debian/openjdk-17@17.0.21.1%2B2-1%7Edeb12u1";
        assertThat(root.path("components").path(1).path("purl").asText()).isEqualTo(purl);
        assertThat(root.path("dependencies").path(0).path("dependsOn").path(0).asText())
                .isEqualTo(purl);
    }

    @Test
    void jarsThatOnlyOneOfTheTwoHasAreNamed() throws Exception {
        JsonNode bom = JSON.readTree("""
                {"components": [
                  {"name": "xz", "version": "1.12", "purl": "pkg:maven/org.tukaani/xz@1.12?type=jar"},
                  {"name": "jffi", "version": "1.4.3", "purl": "pkg:maven/com.github.jnr/jffi@1.4.3?classifier=native&type=jar"}]}
                """);
        for (String jar : List.of("jffi-1.4.3-native.jar", "left-pad-1.0.jar", "probestream.jar")) {
            Files.createFile(folder.resolve(jar));
        }

        assertThat(BomMain.difference(bom, folder)).isEqualTo("not shipped: xz-1.12.jar. not named: left-pad-1.0.jar.");
    }

    @Test
    @Tag("packaged")
    void theBillOfTheLastReleaseNamesTheJarsOfItsTree() throws Exception {
        Path trees = Path.of("target/tree/amd64");
        try (Stream<Path> found = Files.list(trees);
                Stream<Path> boms = Files.list(Path.of("target/dist"))) {
            Path tree = found.filter(file -> file.toString().contains("/probestream-"))
                    .findFirst()
                    .orElseThrow();
            Path bom = boms.filter(file -> file.toString().endsWith(".cdx.json"))
                    .findFirst()
                    .orElseThrow();
            assertThat(BomMain.difference(JSON.readTree(Files.readString(bom)), tree))
                    .isEmpty();
        }
    }
}
