package dev.probestream.collector.internal.counter;

import dev.probestream.collector.internal.process.TargetRoot;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/**
 * Finds the application that a Node.js process runs: the nearest package.json with a name, from the folder of its script upwards, or
 * from its working directory where the command line has none. Packages in a folder node_modules are what an application uses.
 */
final class NodeApplication {
    private static final String FILE = "package.json";
    private static final String DEPENDENCIES = "node_modules";
    private static final int MAX_BYTES = 1 << 20;
    private static final int MAX_FOLDERS = 64;
    /** Behind these options is code; further words are its arguments. */
    private static final Set<String> CODE = Set.of("-e", "-p", "-pe", "--eval", "--print");
    /** Start times are rounded down to it. */
    private static final long TICK_NS = 10_000_000;

    private final TargetRoot root;
    private final String workingDirectory;
    private final long startRealtimeNs;

    /**
     * Of a process.
     *
     * @param root its file system
     * @param workingDirectory as the process sees it
     * @param startRealtimeNs when it started
     */
    NodeApplication(TargetRoot root, String workingDirectory, long startRealtimeNs) {
        this.root = root;
        this.workingDirectory = workingDirectory;
        this.startRealtimeNs = startRealtimeNs;
    }

    /**
     * Finds it; empty if there is none, if its package.json cannot be read, and if the command line does not show which package the
     * script is of.
     */
    Optional<PackageJson> find(List<String> commandLine) {
        Set<PackageJson> found = new HashSet<>();
        boolean hasWords = false;
        boolean isOfDependencies = false;
        for (int i = 1; i < commandLine.size() && !CODE.contains(commandLine.get(i)); i++) {
            if (commandLine.get(i).startsWith("-")) {
                continue;
            }
            hasWords = true;
            // A word behind an option may be its value (--require FILE) or the script (--inspect FILE).
            boolean isScript = !commandLine.get(i - 1).startsWith("-") || i == 1;
            Optional<String> folder = folderOfScript(commandLine.get(i));
            if (folder.isPresent()) {
                isOfDependencies |= isOfDependencies(folder.get());
                nearest(folder.get()).ifPresent(found::add);
            }
            if (isScript && folder.isEmpty()) {
                return Optional.empty(); // the process has changed its folder
            }
            if (isScript) {
                break;
            }
        }
        if (found.isEmpty() && (!hasWords || isOfDependencies)) {
            // npm, pm2 and the like run what is in the working directory.
            return nearest(workingDirectory);
        }
        return found.size() == 1 ? Optional.of(found.iterator().next()) : Optional.empty();
    }

    /** The folder of a file, or a folder itself ("node ."), as the process sees it and without symbolic links. */
    private Optional<String> folderOfScript(String word) {
        String path = word.startsWith("/") ? word : workingDirectory + "/" + word;
        try {
            Path file = root.resolve(path);
            if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
                return Optional.of(root.seenAs(file));
            }
            // Node adds the ending to a script's name.
            Path script = Files.exists(file, LinkOption.NOFOLLOW_LINKS) ? file : root.resolve(path + ".js");
            Path folder = script.getParent();
            return folder != null && Files.isRegularFile(script, LinkOption.NOFOLLOW_LINKS)
                    ? Optional.of(root.seenAs(folder))
                    : Optional.empty();
        } catch (IOException | InvalidPathException e) {
            return Optional.empty(); // no path
        }
    }

    private static boolean isOfDependencies(String folder) {
        return List.of(folder.split("/")).contains(DEPENDENCIES);
    }

    private Optional<PackageJson> nearest(String folder) {
        String at = folder;
        for (int i = 0; i < MAX_FOLDERS && at.startsWith("/"); i++) {
            if (!isOfDependencies(at)) {
                try {
                    Optional<PackageJson> here = packageIn(at);
                    if (here.isPresent()) {
                        return here;
                    }
                } catch (NoSuchFileException | NotDirectoryException e) {
                    // It is further up.
                } catch (IOException | InvalidPathException e) {
                    return Optional.empty();
                }
            }
            if (at.equals("/")) {
                break;
            }
            at = at.substring(0, Math.max(1, at.lastIndexOf('/')));
        }
        return Optional.empty();
    }

    /** A version that was written after the process had started is not the one that it runs. */
    private Optional<PackageJson> packageIn(String folder) throws IOException {
        String path = folder + "/" + FILE;
        Optional<PackageJson> read = PackageJson.parse(root.read(path, MAX_BYTES));
        FileTime changed = (FileTime) Files.getAttribute(root.resolve(path), "unix:ctime", LinkOption.NOFOLLOW_LINKS);
        return changed.to(TimeUnit.NANOSECONDS) > startRealtimeNs + TICK_NS
                ? read.map(PackageJson::withoutVersion)
                : read;
    }
}
