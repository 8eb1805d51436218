package dev.probestream.schema.file;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A temporary folder that {@link #close} deletes, or the end of the JVM: also if a signal ends it while the folder is
 * created, or while other threads write into it. SIGKILL leaves it.
 */
public final class TemporaryFolder implements AutoCloseable {
    private final Thread atExit = new Thread(this::deleteAtExit, "delete a temporary folder");
    private @Nullable Path folder;
    private boolean isEnding;

    private TemporaryFolder() {}

    /**
     * {@return a new folder below {@code java.io.tmpdir}, readable by its owner only}
     *
     * @param prefix of its name
     * @throws IOException if the system refuses it, or the JVM is ending
     */
    public static TemporaryFolder create(String prefix) throws IOException {
        TemporaryFolder created = new TemporaryFolder();
        try {
            Runtime.getRuntime().addShutdownHook(created.atExit);
        } catch (IllegalStateException e) {
            throw isEnding(e);
        }
        try {
            created.make(prefix);
        } catch (IOException e) {
            created.removeHook();
            throw e;
        }
        return created;
    }

    /** {@return its path} */
    public synchronized Path path() {
        return Objects.requireNonNull(folder);
    }

    @Override
    public void close() throws IOException {
        if (removeHook()) {
            delete(path());
        }
    }

    private synchronized void make(String prefix) throws IOException {
        if (isEnding) {
            throw isEnding(null);
        }
        folder = PrivateFiles.createTemporaryFolder(prefix);
    }

    private static IOException isEnding(@Nullable Throwable cause) {
        return new IOException("create a temporary folder: the process is ending", cause);
    }

    /** False while the JVM is shutting down: then the hook deletes the folder. */
    private boolean removeHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(atExit);
            return true;
        } catch (IllegalStateException e) {
            return false;
        }
    }

    /** The folder gets another name first, so that threads that still create files by its path fail. */
    private synchronized void deleteAtExit() {
        isEnding = true;
        Path made = folder;
        if (made == null) {
            return;
        }
        try {
            Path renamed = made.resolveSibling(made.getFileName() + "-deleted");
            Files.move(made, renamed);
            delete(renamed);
        } catch (IOException | UncheckedIOException e) {
            // Nothing can be reported during shutdown; the operating system cleans its temporary folder.
        }
    }

    private static void delete(Path folder) throws IOException {
        List<Path> deepestFirst;
        try (Stream<Path> all = Files.walk(folder)) {
            deepestFirst = all.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path path : deepestFirst) {
            Files.deleteIfExists(path);
        }
    }
}
