package dev.probestream.cli.endtoend.kafka;

import static org.assertj.core.api.Assertions.assertThat;

import dev.probestream.bpf.KernelTest;
import dev.probestream.cli.endtoend.fixture.CommandRun;
import java.io.File;
import java.io.IOException;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The broker of one user, and what another user of the machine can do with it. */
@Tag("deep")
@KernelTest(since = "5.8")
@Timeout(300)
class BrokerPrivacyTest {
    private static final List<String> AS_NOBODY =
            List.of("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups");
    private static final int CALLER = 54_321;

    @TempDir
    private Path folder;

    @Test
    void itsUserNeedsNoOptionAndNobodyElseIsServed() throws Exception {
        // All that protects the data is the mode of their own folder.
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
        Path data = folder.resolve("data");
        try (CommandRun broker = CommandRun.start("broker", "--port", "0", "--data", data.toString())) {
            String address = broker.firstLineOut().replaceAll("broker ready at |,.*", "");
            CommandRun collected = CommandRun.run(
                    "collect",
                    "--kafka",
                    address.replace("127.0.0.1", "localhost"),
                    "--probes",
                    "syscalls",
                    "--",
                    "/bin/true");
            assertThat(collected.exitCode()).as("%s", collected.said()).isZero();

            // Without a binding of SLF4J, as here, its own lines precede those of the program.
            assertThat(asNobody(strangerCommand(address)).lines().filter(line -> !line.startsWith("SLF4J")))
                    .containsExactly("list refused", "read refused", "delete refused");
            assertThat(asNobody(List.of("ls", data.toString()))).contains("Permission denied");
            assertThat(asNobody(List.of("cat", data.resolve("client.properties").toString())))
                    .contains("Permission denied");

            Path wrong = folder.resolve("wrong.properties");
            Files.writeString(
                    wrong,
                    Files.readString(data.resolve("client.properties"))
                            .replaceFirst("password=\"[^\"]*\"", "password=\"guessed-at-random\""));
            Files.setPosixFilePermissions(wrong, PosixFilePermissions.fromString("rw-------"));
            CommandRun refused = CommandRun.run(
                    "collect",
                    "--kafka",
                    address,
                    "--kafka-config",
                    wrong.toString(),
                    "--probes",
                    "syscalls",
                    "--",
                    "/bin/true");
            assertThat(refused.exitCode()).isEqualTo(1);
            assertThat(refused.said())
                    .last()
                    .asString()
                    .contains(address)
                    .contains("invalid credentials")
                    .contains("check security.protocol and the sasl.* properties");
            CommandRun refusedSink = CommandRun.run(
                    "sink",
                    "parquet",
                    "--once",
                    "--kafka",
                    address,
                    "--kafka-config",
                    wrong.toString(),
                    "-o",
                    folder.resolve("none").toString());
            assertThat(refusedSink.exitCode()).isEqualTo(1);
            assertThat(refusedSink.said()).last().asString().contains(address).contains("invalid credentials");

            CommandRun read = CommandRun.run(
                    "sink",
                    "parquet",
                    "--once",
                    "--kafka",
                    address,
                    "-o",
                    folder.resolve("out").toString());
            assertThat(read.exitCode()).as("%s", read.said()).isZero();
            assertThat(broker.terminate().end()).isZero();

            String password = password(data);
            assertThat(password).hasSize(43);
            for (CommandRun run : List.of(broker, collected, refused, refusedSink, read)) {
                assertThat(run.said() + run.out()).doesNotContain(password).doesNotContain("guessed-at-random");
            }
        }
    }

    @Test
    void underSudoTheBrokerIsTheCallers() throws Exception {
        Path home = Files.createDirectory(folder.resolve("home"));
        Files.setAttribute(home, "unix:uid", CALLER);
        Path data = home.resolve("data");
        Path registry = home.resolve(".local/state/probestream/brokers");
        try (CommandRun broker =
                CommandRun.start(sudo(home), List.of("broker", "--port", "0", "--data", data.toString()))) {
            String address = broker.firstLineOut().replaceAll("broker ready at |,.*", "");
            assertThat(owners(registry))
                    .isNotEmpty()
                    .allSatisfy((path, owner) -> assertThat(owner)
                            .isEqualTo(CALLER + (path.endsWith(".properties") ? " rw-------" : " rwx------")));

            CommandRun collected = CommandRun.start(
                    sudo(home), List.of("collect", "--kafka", address, "--probes", "syscalls", "--", "/bin/true"));
            assertThat(collected.end()).as("%s", collected.said()).isZero();
            assertThat(broker.terminate().end()).isZero();
        }
        assertThat(registry).isEmptyDirectory();
        assertThat(owners(data))
                .hasSizeGreaterThan(10)
                .allSatisfy((path, owner) -> assertThat(owner).startsWith(CALLER + " "));
    }

    /** As sudo would start it for {@link #CALLER}, whose home is in a /etc/passwd that only this process sees. */
    private List<String> sudo(Path home) throws IOException {
        Path passwd = folder.resolve("passwd");
        Files.writeString(
                passwd, "root:x:0:0::/root:/bin/sh\ncaller:x:" + CALLER + ":" + CALLER + "::" + home + ":/bin/sh\n");
        return List.of(
                "unshare",
                "-m",
                "sh",
                "-c",
                "mount --bind " + passwd + " /etc/passwd && exec \"$@\"",
                "sh",
                "env",
                "SUDO_UID=" + CALLER,
                "SUDO_GID=" + CALLER);
    }

    /** Owner and mode of everything in a folder. */
    private static Map<String, String> owners(Path top) throws IOException {
        Map<String, String> owners = new TreeMap<>();
        try (Stream<Path> tree = Files.walk(top)) {
            for (Path path : tree.toList()) {
                owners.put(
                        path.toString(),
                        Files.getAttribute(path, "unix:uid", LinkOption.NOFOLLOW_LINKS) + " "
                                + PosixFilePermissions.toString(Files.getPosixFilePermissions(path)));
            }
        }
        return owners;
    }

    private static String password(Path data) throws IOException {
        Properties stored = new Properties();
        try (Reader reader = Files.newBufferedReader(data.resolve("client.properties"))) {
            stored.load(reader);
        }
        return stored.getProperty("sasl.jaas.config").replaceAll(".* password=\"|\";", "");
    }

    /** What the command writes on both of its outputs. */
    private static String asNobody(List<String> arguments) throws Exception {
        List<String> command = new ArrayList<>(AS_NOBODY);
        command.addAll(arguments);
        Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        process.waitFor();
        return said;
    }

    /** {@link Stranger} with a class path that nobody can read: the jars of a developer may be in a private home. */
    private List<String> strangerCommand(String address) throws IOException {
        Path classes = Files.createDirectories(folder.resolve("classes"));
        String name = Stranger.class.getName().replace('.', '/') + ".class";
        Path copy = classes.resolve(name);
        Files.createDirectories(copy.getParent());
        Files.write(copy, Stranger.class.getResourceAsStream("/" + name).readAllBytes());
        for (String entry : System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))
                .split(File.pathSeparator)) {
            Path jar = Path.of(entry);
            if (jar.getFileName()
                    .toString()
                    .matches("(kafka-clients|slf4j-(api|nop)|lz4-java|snappy-java|zstd-jni)-.*jar")) {
                Files.copy(jar, classes.resolve(jar.getFileName()));
            }
        }
        try (Stream<Path> tree = Files.walk(classes)) {
            for (Path path : tree.toList()) {
                Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
        }
        return List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                classes + ":" + classes + "/*",
                Stranger.class.getName(),
                address);
    }
}
