package dev.probestream.collector.internal.stack;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.bpf.machine.CxxDemangler;
import dev.probestream.bpf.proc.MappedRange;
import dev.probestream.collector.internal.debugfile.DebugFiles;
import dev.probestream.collector.internal.event.Warnings;
import dev.probestream.collector.internal.process.FileId;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * Looks up function names in the ELF files of processes. A file is opened once, however many processes have mapped it.
 */
final class ElfNames implements AutoCloseable {
    static final int MAX_FILES = 32;
    private static final int MAX_MAPPED_FILES = 4096;
    private static final int MAX_NAMES = 65_536;

    /** A file as a process has mapped it. */
    private record MappedFile(int pid, long inode, String path) {}

    /** A position in a file. */
    private record FileAddress(FileId file, long offset) {}

    private final CxxDemangler demangler;
    private final Warnings warnings;
    private final Map<FileId, ElfFile> files = new LruCache<>(MAX_FILES, ElfNames::close);
    /** Empty = the file cannot be opened. */
    private final Map<MappedFile, Optional<FileId>> ids = new LruCache<>(MAX_MAPPED_FILES, id -> {});

    private final Map<FileAddress, String> names = new LruCache<>(MAX_NAMES, name -> {});
    private final VdsoNames vdso = new VdsoNames();

    ElfNames(CxxDemangler demangler, Warnings warnings) {
        this.demangler = demangler;
        this.warnings = warnings;
    }

    /** The function that covers a byte of a mapped file, or "". */
    String nameOf(ProcessView process, MappedRange range, long fileOffset) {
        return fileOf(process, range)
                .map(file -> nameOf(new FileAddress(file, fileOffset)))
                .orElse("");
    }

    /** Reads the symbols of a mapped file, which the first lookup would do; its debug file is left for a lookup. */
    void prepare(ProcessView process, MappedRange range) {
        fileOf(process, range).map(files::get).ifPresent(file -> {
            try {
                file.sortFunctions();
            } catch (IOException e) {
                warnings.add("stack frames have no names: " + e.getMessage());
            }
        });
    }

    /** The function that covers a byte of the vDSO, or "". */
    String nameInVdso(long offset) {
        return vdso.nameOf(offset);
    }

    @Override
    public void close() {
        files.values().forEach(ElfNames::close);
        files.clear();
        ids.clear();
        names.clear();
    }

    private String nameOf(FileAddress place) {
        String known = names.get(place);
        if (known == null) {
            known = Optional.ofNullable(files.get(place.file()))
                    .flatMap(file -> covering(file, place.offset()))
                    .map(symbol -> demangler.demangle(symbol.name()))
                    .orElse("");
            names.put(place, known);
        }
        return known;
    }

    private Optional<ElfSymbol> covering(ElfFile file, long fileOffset) {
        try {
            return file.functionCovering(fileOffset);
        } catch (IOException e) {
            warnings.add("stack frames have no names: " + e.getMessage());
            return Optional.empty();
        }
    }

    private Optional<FileId> fileOf(ProcessView process, MappedRange range) {
        MappedFile mapped = new MappedFile(process.pid(), range.inode(), range.path());
        Optional<FileId> id = ids.get(mapped);
        if (id == null || (id.isPresent() && !files.containsKey(id.get()))) {
            id = open(process, range);
            ids.put(mapped, id);
        }
        return id;
    }

    private Optional<FileId> open(ProcessView process, MappedRange range) {
        Optional<Path> path = process.files().flatMap(processFiles -> processFiles.openable(range));
        if (path.isEmpty()) {
            warnings.add("stack frames in " + range.path() + " have no names: process " + process.pid()
                    + " has exited or access to its files is denied, and no other path opens that file");
            return Optional.empty();
        }
        try {
            FileId id = FileId.of(path.get());
            if (!files.containsKey(id)) {
                files.put(id, ElfFile.open(path.get(), DebugFiles.of(range.path(), path.get(), warnings::add)));
            }
            return Optional.of(id);
        } catch (IOException e) {
            warnings.add("stack frames in " + range.path() + " have no names: " + e.getMessage());
            return Optional.empty();
        }
    }

    private static void close(ElfFile file) {
        try {
            file.close();
        } catch (IOException e) {
            throw new UncheckedIOException("close an ELF file that was only read", e);
        }
    }
}
