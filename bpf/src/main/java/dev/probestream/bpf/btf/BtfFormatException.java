package dev.probestream.bpf.btf;

import java.io.IOException;

/** The bytes are not valid BTF; the message has the file and the position. */
public final class BtfFormatException extends IOException {
    private final String file;
    private final long offsetInFile;

    BtfFormatException(String file, long offsetInFile, String problem) {
        super("read BTF " + file + " at byte " + offsetInFile + ": " + problem);
        this.file = file;
        this.offsetInFile = offsetInFile;
    }

    /** {@return the file as it was named when it was read} */
    public String file() {
        return file;
    }

    /** {@return the position of the error in the file, in bytes from its start} */
    public long offsetInFile() {
        return offsetInFile;
    }
}
