package dev.probestream.schema.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.probestream.schema.recording.RecordingWriter;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PrivateFilesTest {
    private static final int NOBODY = 65534;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({"022, rw-------, rwx------", "077, rw-------, rwx------", "000, rw-------, rwx------"})
    void everythingIsTheOwnersOnlyUnderAnyUmask(String umask, String fileMode, String folderMode) throws Exception {
        runOthers(umask, Map.of());

        assertThat(modes())
                .isNotEmpty()
                .allSatisfy((path, mode) ->
                        assertThat(mode).isEqualTo(Files.isDirectory(folder.resolve(path)) ? folderMode : fileMode));
    }

    @Test
    void aNarrowerUmaskStaysNarrower() throws Exception {
        runOthers("0277", Map.of());

        // 0700 without the right to write: only root gets further.
        assertThat(modes()).containsEntry("replaced", "r--------");
    }

    @Test
    void underSudoEverythingBelongsToTheCaller() throws Exception {
        assumeTrue(SudoUser.effectiveUserId() == 0, "needs root");

        runOthers("022", Map.of("SUDO_UID", "" + NOBODY, "SUDO_GID", "" + NOBODY));

        assertThat(paths())
                .isNotEmpty()
                .allSatisfy(path -> assertThat(Files.readAttributes(path, "unix:uid,gid", LinkOption.NOFOLLOW_LINKS))
                        .as("%s", path)
                        .containsEntry("uid", NOBODY)
                        .containsEntry("gid", NOBODY));
    }

    @Test
    void underSudoWhatExistedKeepsItsOwner() throws Exception {
        assumeTrue(SudoUser.effectiveUserId() == 0, "needs root");
        Path existing = Files.createDirectory(folder.resolve("deep"));
        Path appended = Files.createFile(folder.resolve("appended"));

        runOthers("022", Map.of("SUDO_UID", "" + NOBODY, "SUDO_GID", "" + NOBODY));

        assertThat(Files.getAttribute(existing, "unix:uid")).isEqualTo(0);
        assertThat(Files.getAttribute(appended, "unix:uid")).isEqualTo(0);
    }

    @Test
    void aFileThatIsReplacedIsNewForThoseWhoHaveItOpen() throws IOException {
        Path file = folder.resolve("file");
        Files.writeString(file, "public");
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-rw-rw-"));
        Path otherName = Files.createLink(folder.resolve("link"), file);

        try (OutputStream out = PrivateFiles.replaceAsStream(file)) {
            out.write("secret".getBytes(StandardCharsets.UTF_8));
        }

        assertThat(file).hasContent("secret");
        assertThat(modes()).containsEntry("file", "rw-------");
        assertThat(otherName).hasContent("public");
    }

    /** As the lock files of two processes, of which one ends while the other starts. */
    @Test
    void aFileThatIsDeletedWhileItIsOpenedIsCreated() throws Exception {
        Path file = folder.resolve("lock");
        AtomicBoolean isDone = new AtomicBoolean();
        Thread deleting = new Thread(() -> {
            while (!isDone.get()) {
                try {
                    Files.deleteIfExists(file);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            }
        });
        deleting.start();
        try {
            for (int i = 0; i < 20_000; i++) {
                PrivateFiles.openOrCreate(file).close();
            }
        } finally {
            isDone.set(true);
            deleting.join();
        }
    }

    @Test
    void aSymbolicLinkIsReplacedAndNotFollowed() throws IOException {
        Path target = Files.writeString(folder.resolve("target"), "someone's");
        Path link = Files.createSymbolicLink(folder.resolve("link"), target);

        PrivateFiles.replaceAsText(link).close();

        assertThat(link).isRegularFile();
        assertThat(Files.isSymbolicLink(link)).isFalse();
        assertThat(target).hasContent("someone's");
    }

    @Test
    void appendingContinuesAFile() throws IOException {
        Path file = folder.resolve("log");
        for (String text : List.of("a", "b")) {
            try (OutputStream out = PrivateFiles.append(file)) {
                out.write(text.getBytes(StandardCharsets.UTF_8));
            }
        }
        assertThat(file).hasContent("ab");
    }

    @Test
    void onlyRootHasACallerOfSudo() {
        Map<String, String> sudo = Map.of("SUDO_UID", "1000", "SUDO_GID", "1000");
        assertThat(SudoUser.of(sudo, 0))
                .hasValueSatisfying(user -> assertThat(user.uid()).isEqualTo(1000));
        assertThat(SudoUser.of(sudo, 1000)).isEmpty();
        assertThat(SudoUser.of(Map.of(), 0)).isEmpty();
        assertThat(SudoUser.of(Map.of("SUDO_UID", "0", "SUDO_GID", "0"), 0)).isEmpty();
        assertThat(SudoUser.of(Map.of("SUDO_UID", "-1", "SUDO_GID", "0"), 0)).isEmpty();
    }

    /** Runs {@link Creation} in a process with this umask: a JVM cannot change its own. */
    private void runOthers(String umask, Map<String, String> environment) throws Exception {
        ProcessBuilder child = new ProcessBuilder(
                "sh",
                "-c",
                "umask " + umask + "; exec \"$@\"",
                "sh",
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Creation.class.getName(),
                folder.toString());
        child.environment().keySet().removeIf(name -> name.startsWith("SUDO_"));
        child.environment().putAll(environment);
        Process process = child.redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
    }

    private List<Path> paths() throws IOException {
        try (Stream<Path> tree = Files.walk(folder)) {
            return tree.filter(path -> !path.equals(folder)).toList();
        }
    }

    /** The mode of everything in the folder, by the path in it. */
    private Map<String, String> modes() throws IOException {
        Map<String, String> modes = new TreeMap<>();
        for (Path path : paths()) {
            modes.put(
                    folder.relativize(path).toString(),
                    PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
        }
        return modes;
    }

    /** Creates something in each way that there is. */
    public static final class Creation {
        private Creation() {}

        public static void main(String... arguments) throws Exception {
            Path folder = Path.of(arguments[0]);
            PrivateFiles.replace(folder.resolve("replaced")).close();
            PrivateFiles.replaceUninterrupted(folder.resolve("uninterrupted")).close();
            PrivateFiles.openOrCreate(folder.resolve("opened")).close();
            PrivateFiles.append(folder.resolve("appended")).close();
            PrivateFiles.writeUnderNewName(folder, "report", ".txt", "text");
            PrivateFiles.createFolders(folder.resolve("deep/deeper/deepest"));
            PrivateFiles.adopt(Files.writeString(folder.resolve("adopted"), "by another program"));
            RecordingWriter.create(folder.resolve("deep/recording.avro")).close();
        }
    }
}
