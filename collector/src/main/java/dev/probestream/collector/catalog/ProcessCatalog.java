package dev.probestream.collector.catalog;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfFormatException;
import dev.probestream.bpf.proc.MappedRange;
import dev.probestream.collector.internal.debugfile.DebugFiles;
import dev.probestream.collector.internal.process.ProcessFiles;
import dev.probestream.collector.internal.process.Target;
import dev.probestream.collector.probe.ResolveException;
import dev.probestream.collector.probe.provider.KnownProviders;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The probes of all files that a process has mapped as executable. A file that cannot be read gives a warning. */
final class ProcessCatalog implements ProbeCatalog {
    private final int pid;
    private final KnownProviders known;

    ProcessCatalog(int pid, KnownProviders known) {
        this.pid = pid;
        this.known = known;
    }

    @Override
    public void read(Selection wanted, CatalogReader reader) throws IOException, ResolveException {
        Target target = Target.of(pid);
        List<CatalogFile> files = files(target, reader);
        // Two passes, because all USDT probes come before the first function.
        for (Iterator<CatalogFile> each = files.iterator(); each.hasNext(); ) {
            if (!readUsdt(target, each.next(), wanted, reader)) {
                each.remove();
            }
        }
        for (CatalogFile file : files) {
            readFunctions(file, wanted, reader);
        }
    }

    private List<CatalogFile> files(Target target, CatalogReader reader) throws IOException, ResolveException {
        ProcessFiles opener = ProcessFiles.of(target.pid());
        List<CatalogFile> files = new ArrayList<>();
        for (MappedRange range : target.maps().codeFiles()) {
            Optional<Path> path = opener.openable(range);
            if (path.isPresent()) {
                files.add(new CatalogFile(range.path(), path.get(), range.isDeleted()));
            } else {
                reader.warning(
                        "skipped " + range.path() + ": it was deleted or replaced; opening the file that the process"
                                + " has mapped needs root (CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE)");
            }
        }
        return files;
    }

    /** Returns whether the file can be read. */
    private boolean readUsdt(Target target, CatalogFile file, Selection wanted, CatalogReader reader)
            throws IOException {
        // The second pass has the warnings about debug files.
        try (ElfFile elf = open(file, problem -> {})) {
            reader.file(file);
            if (file.shownPath().equals(target.executable()) && elf.isStripped()) {
                reader.warning(FileCatalog.strippedWarning(file));
            }
            new FileProbes(file, elf, wanted, reader).readUsdt(known);
            return true;
        } catch (UnreadableFileException e) {
            reader.warning("skipped " + file.shownPath() + ": " + e.getMessage());
            return false;
        } catch (ElfFormatException e) {
            reader.warning("skipped the USDT probes of " + file.shownPath() + ": " + e.getMessage());
            return true;
        }
    }

    private static void readFunctions(CatalogFile file, Selection wanted, CatalogReader reader) throws IOException {
        try (ElfFile elf = open(file, reader::warning)) {
            new FileProbes(file, elf, wanted, reader).readFunctions();
        } catch (UnreadableFileException | ElfFormatException e) {
            reader.warning("skipped functions of " + file.shownPath() + ": " + e.getMessage());
        }
    }

    private static ElfFile open(CatalogFile file, Consumer<String> problems) throws UnreadableFileException {
        try {
            return ElfFile.open(file.file(), DebugFiles.of(file.shownPath(), file.file(), problems));
        } catch (IOException e) {
            throw new UnreadableFileException(String.valueOf(e.getMessage()), e);
        }
    }

    /** The file could not be opened. Distinguishes this from an IOException of the reader. */
    private static final class UnreadableFileException extends IOException {
        private static final long serialVersionUID = 1;

        UnreadableFileException(String message, IOException cause) {
            super(message, cause);
        }
    }
}
