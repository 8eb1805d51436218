package dev.probestream.bpf.elf;

import java.io.IOException;
import java.util.Optional;

/** Finds the file that has the symbols that were stripped off another one. */
public interface DebugFileSearch {
    /** Finds nothing. */
    DebugFileSearch NONE = stripped -> Optional.empty();

    /**
     * Called at most once per ELF file, when something is not found in its own symbols.
     *
     * @param stripped the file, open
     * @return an open file, which the caller closes; its virtual addresses must be those of the stripped file
     * @throws IOException if the file cannot be read or is malformed
     */
    Optional<ElfFile> find(ElfFile stripped) throws IOException;
}
