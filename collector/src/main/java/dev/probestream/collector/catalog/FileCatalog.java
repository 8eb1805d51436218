package dev.probestream.collector.catalog;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.collector.internal.debugfile.DebugFiles;
import dev.probestream.collector.probe.provider.KnownProviders;
import java.io.IOException;
import java.nio.file.Path;

/** The probes of one file given by the user. */
final class FileCatalog implements ProbeCatalog {
    private final Path path;
    private final KnownProviders known;

    FileCatalog(Path path, KnownProviders known) {
        this.path = path;
        this.known = known;
    }

    @Override
    public void read(Selection wanted, CatalogReader reader) throws IOException {
        CatalogFile file = new CatalogFile(path.toAbsolutePath().normalize().toString(), path, false);
        DebugFiles debugFiles = DebugFiles.of(path.toRealPath().toString(), path, reader::warning);
        try (ElfFile elf = ElfFile.open(path, debugFiles)) {
            reader.file(file);
            if (elf.isStripped()) {
                reader.warning(strippedWarning(file));
            }
            FileProbes probes = new FileProbes(file, elf, wanted, reader);
            probes.readUsdt(known);
            probes.readFunctions();
        }
    }

    static String strippedWarning(CatalogFile file) {
        return file.shownPath()
                + " is stripped: only exported functions have names (install its debug symbols, or use a build that is not stripped, for all functions)";
    }
}
