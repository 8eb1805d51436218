package dev.probestream.bpf.elf;

import java.io.IOException;

/** The bytes are not a valid 64-bit little-endian ELF file; the message has the file and the position. */
public final class ElfFormatException extends IOException {
    private final String file;
    private final long offsetInFile;

    ElfFormatException(String file, long offsetInFile, String problem) {
        super("read ELF file " + file + " at byte " + offsetInFile + ": " + problem);
        this.file = file;
        this.offsetInFile = offsetInFile;
    }

    /** {@return the file as it was named when it was opened} */
    public String file() {
        return file;
    }

    /** {@return the position of the error in the file, in bytes from its start} */
    public long offsetInFile() {
        return offsetInFile;
    }
}
