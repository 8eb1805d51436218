package dev.probestream.collector.internal.resolve;

import dev.probestream.bpf.proc.MappedRange;
import dev.probestream.bpf.proc.ProcFile;
import dev.probestream.collector.internal.process.FileId;
import dev.probestream.collector.internal.process.LaunchedCommand;
import dev.probestream.collector.internal.process.ProbedFile;
import dev.probestream.collector.internal.process.ProcessFiles;
import dev.probestream.collector.internal.process.Target;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.ResolveException.Reason;
import java.io.IOException;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Finds the file a spec means in one process: its executable, a path as it sees it, or a mapped library by its name.
 * What is mapped wins over what lies at its path now, since a package upgrade replaces files under running processes.
 */
final class FileFinder {
    private static final int MAX_NAMED_LIBRARIES = 12;

    /** The user's, who wrote the name. */
    private static final String PATH = System.getenv().getOrDefault("PATH", "/usr/bin:/bin");

    private static final String WORKING_FOLDER = System.getProperty("user.dir");

    private final Target target;
    private final ProcessFiles files;
    private final Optional<LaunchedCommand> held;
    private @Nullable List<MappedRange> codeFiles;

    FileFinder(Target target) throws ResolveException {
        this(target, Optional.empty());
    }

    /** @param held the command that the process will become: then what that will map counts, not what is mapped now */
    FileFinder(Target target, Optional<LaunchedCommand> held) throws ResolveException {
        this.target = target;
        this.held = held;
        try {
            this.files = ProcessFiles.of(target.pid());
        } catch (IOException e) {
            throw failure("look at the file system of " + process(), e);
        }
    }

    /** {@code module} as in a spec: "" for the executable, else an absolute path or the name of a mapped file. */
    ProbedFile find(String module) throws ResolveException {
        if (module.isEmpty()) {
            return executable();
        }
        return module.indexOf('/') >= 0 ? atPath(module) : named(module);
    }

    /** The files from which the process may run code. */
    List<ProbedFile> mappedFiles() throws ResolveException {
        return codeFiles().stream()
                .flatMap(range -> files.probed(range).stream())
                .toList();
    }

    int mappedFileCount() throws ResolveException {
        return codeFiles().size();
    }

    /** Whether a name without a slash is that of a mapped file, the executable among them. */
    boolean hasMapped(String name) throws ResolveException {
        return !matching(name, codeFiles()).isEmpty();
    }

    /** From which the process may run code, read once: a finder is for one moment. */
    private List<MappedRange> codeFiles() throws ResolveException {
        if (codeFiles == null) {
            codeFiles = held.isPresent()
                    ? held.get().files().stream()
                            .flatMap(file -> toBeMapped(file).stream())
                            .toList()
                    : target.maps().codeFiles();
        }
        return codeFiles;
    }

    private static Optional<MappedRange> toBeMapped(Path file) {
        try {
            return Optional.of(new MappedRange(0, 0, true, 0, FileId.of(file).inode(), file.toString(), false));
        } catch (IOException e) {
            return Optional.empty(); // gone since it was listed
        }
    }

    private ProbedFile executable() throws ResolveException {
        if (held.isPresent()) {
            return atPath(held.get().executable().toString());
        }
        Path running = target.executableFile();
        try {
            FileId id = FileId.of(running);
            // A plain path, if it is the same file: it outlives the process and reads better.
            return new ProbedFile(
                    target.executable(),
                    files.reachable(target.executable(), id.inode()).orElse(running),
                    id);
        } catch (IOException e) {
            throw failure("open the executable " + target.executable() + " of " + process(), e);
        }
    }

    /** {@code ./build/app} and {@code build/app} are relative to our working directory, as for the shell. */
    private ProbedFile atPath(String written) throws ResolveException {
        String path = written.startsWith("/") ? written : WORKING_FOLDER + "/" + written.replaceFirst("^(\\./)+", "");
        String what = "open " + path + " as " + process() + " sees it";
        try {
            Path file = files.root().resolve(path);
            String seenAs = files.root().seenAs(file);
            Optional<MappedRange> mapped = codeFiles().stream()
                    .filter(range -> range.path().equals(seenAs))
                    .findFirst();
            Optional<ProbedFile> running = mapped.flatMap(files::probed);
            return running.isPresent() ? running.get() : new ProbedFile(seenAs, file, FileId.of(file));
        } catch (IOException e) {
            throw failure(what, e);
        } catch (InvalidPathException e) {
            throw new ResolveException(Reason.NO_FILE, what + ": " + e.getReason(), e);
        }
    }

    private ProbedFile named(String name) throws ResolveException {
        List<MappedRange> mapped = codeFiles();
        List<MappedRange> found = matching(name, mapped);
        String what = "look for a library " + name + " in " + process() + ": ";
        if (found.isEmpty()) {
            throw new ResolveException(
                    Reason.NO_FILE,
                    what + "it has mapped no such file, only " + names(mapped)
                            + "; one that it loads later can be given by its path");
        }
        if (found.size() > 1) {
            throw new ResolveException(
                    Reason.NO_FILE,
                    what + "several files match, give the path of one: "
                            + found.stream().map(MappedRange::path).collect(Collectors.joining(", ")));
        }
        return files.probed(found.get(0))
                .orElseThrow(() -> new ResolveException(
                        Reason.NOT_PERMITTED,
                        what + found.get(0).path() + " was deleted or replaced, and only root (CAP_SYS_ADMIN or"
                                + " CAP_CHECKPOINT_RESTORE) can open what the process still holds"));
    }

    /** How to see what there is, in words for the user; a held command has nothing to show yet but its file. */
    String listing(String module) {
        if (module.indexOf('/') >= 0 || held.isPresent()) {
            String file = module.indexOf('/') >= 0
                    ? module
                    : held.map(command -> command.executable().toString()).orElse("");
            return "run 'list -l " + file + "' to see all that it has";
        }
        return "run 'list -p " + target.pid() + "' to see all that there are";
    }

    /** The file of this name; else versions of this library; else the program that a shell would run by this name. */
    private List<MappedRange> matching(String name, List<MappedRange> mapped) {
        List<MappedRange> exact =
                mapped.stream().filter(range -> range.fileName().equals(name)).toList();
        if (!exact.isEmpty()) {
            return exact;
        }
        List<MappedRange> libraries = mapped.stream()
                .filter(range -> ProbedFile.isNamed(name, range.fileName()))
                .toList();
        return libraries.isEmpty() ? program(name, mapped) : libraries;
    }

    /** A name in PATH is often a link, such as python3 to python3.11. */
    private List<MappedRange> program(String name, List<MappedRange> mapped) {
        for (String folder : PATH.split(":", -1)) {
            String seenAs = seenIn(folder, name);
            List<MappedRange> found =
                    mapped.stream().filter(range -> range.path().equals(seenAs)).toList();
            if (!found.isEmpty()) {
                return found;
            }
        }
        return List.of();
    }

    /** Where the links of a program lead to; "" when the folder has no such program. */
    private String seenIn(String folder, String name) {
        try {
            return folder.startsWith("/") ? files.root().seenAs(files.root().resolve(folder + "/" + name)) : "";
        } catch (IOException | InvalidPathException e) {
            return "";
        }
    }

    /** In words for the user. */
    String process() {
        return held.isPresent()
                ? "the command '" + held.get().command().get(0) + "'"
                : "process " + target.pid() + " (" + target.comm() + ")";
    }

    private static String names(List<MappedRange> mapped) {
        String first = mapped.stream()
                .limit(MAX_NAMED_LIBRARIES)
                .map(MappedRange::fileName)
                .collect(Collectors.joining(", "));
        return mapped.size() > MAX_NAMED_LIBRARIES ? first + " ..." : first;
    }

    private static ResolveException failure(String what, IOException e) {
        return ProcFile.isDenied(e)
                ? new ResolveException(
                        Reason.NOT_PERMITTED,
                        what + ": permission denied (run Probestream as root or with CAP_SYS_PTRACE)",
                        e)
                : new ResolveException(Reason.NO_FILE, what + ": " + ProcFile.reason(e), e);
    }
}
