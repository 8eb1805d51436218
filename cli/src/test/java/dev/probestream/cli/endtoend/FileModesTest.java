package dev.probestream.cli.endtoend;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import dev.probestream.cli.endtoend.fixture.NodeFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The mode and the owner of everything that the commands leave behind. */
@Tag("deep")
@KernelTest(since = "5.8")
@Timeout(300)
class FileModesTest {
    private static final String CALLER = "54321";

    @TempDir
    private Path folder;

    @Test
    void onlyTheirOwnerCanReadThemWhateverTheUmask() throws Exception {
        record(umask("0377"), folder + "/narrow.avro");
        assertThat(found(folder, "mode")).isEqualTo(Map.of("narrow.avro", "r--------"));

        Path out = Files.createDirectory(folder.resolve("all"));
        runAll(umask("000"), out);
        assertThat(found(out, "mode"))
                .hasSizeGreaterThan(12)
                .allSatisfy((path, mode) ->
                        assertThat(mode).isEqualTo(Files.isDirectory(out.resolve(path)) ? "rwx------" : "rw-------"));
    }

    @Test
    void underSudoTheyBelongToTheCaller() throws Exception {
        Path out = Files.createDirectory(folder.resolve("out"));
        List<String> sudo = List.of("env", "SUDO_UID=" + CALLER, "SUDO_GID=" + CALLER);
        record(sudo, out + "/a.avro");
        run(sudo, "convert", out + "/a.avro", "-o", out + "/tables/");
        run(sudo, "query", out + "/a.avro", "SELECT 1 AS one", "-o", out + "/one.parquet");

        assertThat(found(out, "owner"))
                .hasSizeGreaterThan(8)
                .allSatisfy((path, owner) -> assertThat(owner).isEqualTo(CALLER + ":" + CALLER));
    }

    private static List<String> umask(String umask) {
        return List.of("sh", "-c", "umask " + umask + "; exec \"$@\"", "sh");
    }

    private static void record(List<String> before, String output) throws Exception {
        run(before, "record", "--probes", "syscalls", "-o", output, "--", "/bin/true");
    }

    /** The demo covers the broker, the collector and all three sinks; the others write by themselves. */
    @Test
    void theDemoToo() throws Exception {
        NodeFixture.installedNode();
        Path out = folder.resolve("demo");
        run(List.of("env", "SUDO_UID=" + CALLER, "SUDO_GID=" + CALLER), "demo", "-o", out.toString());

        assertThat(found(folder, "mode"))
                .hasSizeGreaterThan(8)
                .allSatisfy((path, mode) -> assertThat(mode)
                        .isEqualTo(Files.isDirectory(folder.resolve(path)) ? "rwx------" : "rw-------"));
        assertThat(found(folder, "owner"))
                .allSatisfy((path, owner) -> assertThat(owner).isEqualTo(CALLER + ":" + CALLER));
    }

    private static void runAll(List<String> before, Path out) throws Exception {
        String recording = out + "/a.avro";
        for (String name : List.of("a.avro", "b.pftrace", "c.json", "d/")) {
            record(before, out + "/" + name);
        }
        for (String name : List.of("e.pftrace", "f.json.gz", "g/")) {
            run(before, "convert", recording, "-o", out + "/" + name);
        }
        run(before, "query", recording, "SELECT 1 AS one", "-o", out + "/h.csv");
        run(before, "query", recording, "SELECT 1 AS one", "-o", out + "/i.parquet");
        run(before, "report", recording, "-o", out + "/j.html");
    }

    private static void run(List<String> before, String... arguments) throws Exception {
        CommandRun run = CommandRun.start(before, List.of(arguments));
        assertThat(run.end()).as("%s: %s", List.of(arguments), run.said()).isZero();
    }

    /** The mode or the owner of everything below a folder, by the path in it. */
    private static Map<String, String> found(Path top, String what) throws IOException {
        Map<String, String> found = new TreeMap<>();
        List<Path> paths = new ArrayList<>();
        try (Stream<Path> tree = Files.walk(top)) {
            tree.filter(path -> !path.equals(top)).forEach(paths::add);
        }
        for (Path path : paths) {
            Map<String, Object> owner = Files.readAttributes(path, "unix:uid,gid", LinkOption.NOFOLLOW_LINKS);
            found.put(
                    top.relativize(path).toString(),
                    what.equals("mode")
                            ? PosixFilePermissions.toString(Files.getPosixFilePermissions(path))
                            : owner.get("uid") + ":" + owner.get("gid"));
        }
        return found;
    }
}
