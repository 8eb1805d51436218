package dev.probestream.broker;

import dev.probestream.schema.file.PrivateFiles;
import dev.probestream.schema.file.SudoUser;
import java.io.IOException;
import java.io.Reader;
import java.nio.channels.Channels;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;

/**
 * Where Probestream's commands find the password of a broker on this machine: {@code
 * ~/.local/state/probestream/brokers/PORT.properties}, which exists while the broker runs. Under sudo it is in the home of
 * the user who called sudo, so that {@code sudo collect} and {@code sink} find the broker of each other.
 *
 * <p>Uses none of Kafka's classes: every command reads the registry, also without Kafka's server on its class path.
 */
public final class BrokerRegistry {
    private static final Path FOLDER = Path.of(".local", "state", "probestream", "brokers");
    private static final String ENDING = ".properties";
    /** Which process the broker is; its file may outlive it. */
    private static final String PROCESS = "probestream.broker.process";

    private static final Set<PosixFilePermission> OWNERS =
            Set.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);

    private BrokerRegistry() {}

    /**
     * The properties for a client of the broker at that port of 127.0.0.1; empty if no broker of this user is registered
     * there, or if it needs no password.
     */
    public static Optional<Map<String, String>> clientProperties(int port) {
        for (Path home : homes()) {
            Optional<Properties> found = read(home.resolve(FOLDER).resolve(port + ENDING));
            if (found.isPresent() && isRunning(found.get())) {
                return BrokerSecret.of(found.get()).map(secret -> secret.clientProperties("127.0.0.1:" + port));
            }
        }
        return Optional.empty();
    }

    /**
     * Whether a broker is registered at that port and runs, or is about to open it. To register another there would give
     * clients of the first one the wrong password.
     */
    static boolean isTaken(int port) {
        return homes().stream()
                .anyMatch(home -> read(home.resolve(FOLDER).resolve(port + ENDING))
                        .filter(BrokerRegistry::isRunning)
                        .isPresent());
    }

    /** Registers a broker of this process; false if the user has no home that can be written. */
    static boolean register(BrokerSecret secret, int port) {
        Optional<Path> home = homes().stream().findFirst();
        if (home.isEmpty()) {
            return false;
        }
        Path folder = home.get().resolve(FOLDER);
        try {
            PrivateFiles.createFolders(folder);
            removeDead(folder);
            Path file = folder.resolve(port + ENDING);
            Map<String, String> properties = secret.clientProperties("127.0.0.1:" + port);
            properties.put(PROCESS, RunningProcess.current().orElse(""));
            BrokerSecret.write(file, "A running broker; the file is deleted when it ends.", properties);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    /**
     * Removes the entry of this process at that port, or of an earlier broker, which would give clients of an open broker a
     * password.
     */
    static void unregister(int port) {
        for (Path home : homes()) {
            remove(home.resolve(FOLDER).resolve(port + ENDING));
        }
    }

    /** The home of the caller of sudo, and that of this user. */
    private static List<Path> homes() {
        List<Path> homes = new ArrayList<>();
        SudoUser.caller().flatMap(SudoUser::home).ifPresent(homes::add);
        Path own = Path.of(System.getProperty("user.home", "?"));
        if (own.isAbsolute() && Files.isDirectory(own)) {
            homes.add(own);
        }
        return homes;
    }

    private static void removeDead(Path folder) throws IOException {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(folder, "*" + ENDING)) {
            for (Path file : files) {
                Optional<Properties> found = read(file);
                if (found.isPresent() && !isRunning(found.get())) {
                    remove(file);
                }
            }
        } catch (DirectoryIteratorException e) {
            throw e.getCause();
        }
    }

    private static void remove(Path file) {
        try {
            Files.deleteIfExists(file);
        } catch (IOException e) {
            // The entry of a process that has ended is ignored.
        }
    }

    private static boolean isRunning(Properties entry) {
        return RunningProcess.isRunning(entry.getProperty(PROCESS, ""));
    }

    /** The entry in a file; empty if there is none, or if others could have written or read it. */
    private static Optional<Properties> read(Path file) {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);
                Reader reader = Channels.newReader(channel, StandardCharsets.UTF_8)) {
            if (!isPrivate(file)) {
                return Optional.empty();
            }
            Properties properties = new Properties();
            properties.load(reader);
            return Optional.of(properties);
        } catch (IOException | IllegalArgumentException e) {
            return Optional.empty();
        }
    }

    private static boolean isPrivate(Path file) throws IOException {
        Map<String, Object> attributes =
                Files.readAttributes(file, "unix:uid,isRegularFile", LinkOption.NOFOLLOW_LINKS);
        int uid = (Integer) Objects.requireNonNull(attributes.get("uid"));
        boolean isTrusted = uid == 0
                || uid == SudoUser.effectiveUserId()
                || SudoUser.caller().map(caller -> caller.uid() == uid).orElse(false);
        return isTrusted
                && Boolean.TRUE.equals(attributes.get("isRegularFile"))
                && OWNERS.containsAll(Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS));
    }

    /** A process, identified by its id and start time, because ids are used again. */
    private static final class RunningProcess {
        /** Fields 3 and 22 of /proc/PID/stat (proc(5)), counted from the end of the name, which is field 2. */
        private static final int STATE = 1;

        private static final int START_TIME = 20;

        private RunningProcess() {}

        static Optional<String> current() {
            return of(String.valueOf(ProcessHandle.current().pid()));
        }

        static boolean isRunning(String process) {
            String pid = process.split(" ", 2)[0];
            return pid.matches("\\d{1,10}") && of(pid).filter(process::equals).isPresent();
        }

        private static Optional<String> of(String pid) {
            try {
                String stat = Files.readString(Path.of("/proc", pid, "stat"), StandardCharsets.ISO_8859_1);
                String[] fields = stat.substring(stat.lastIndexOf(')') + 1).split(" ");
                boolean hasEnded =
                        fields[STATE].equals("Z") || fields[STATE].equals("X"); // its parent has not waited for it
                return hasEnded ? Optional.empty() : Optional.of(pid + " " + fields[START_TIME]);
            } catch (IOException e) {
                return Optional.empty(); // it has ended
            }
        }
    }
}
