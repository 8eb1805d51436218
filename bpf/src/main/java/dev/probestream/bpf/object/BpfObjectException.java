package dev.probestream.bpf.object;

import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** The object is malformed, or needs what is not supported or what this kernel lacks; the message says where. */
public final class BpfObjectException extends IOException {
    private final String section;
    private final long offset;

    BpfObjectException(String file, String section, long offset, String problem) {
        this(file, section, offset, problem, null);
    }

    BpfObjectException(String file, String section, long offset, String problem, @Nullable IOException cause) {
        super(
                "BPF object " + file + (section.isEmpty() ? "" : ", section " + section) + " at byte " + offset + ": "
                        + problem,
                cause);
        this.section = section;
        this.offset = offset;
    }

    /** {@return the name of the section that the problem is in; "" for the file's headers} */
    public String section() {
        return section;
    }

    /** {@return where in the section the problem is, in bytes; without a section, where in the file} */
    public long offset() {
        return offset;
    }
}
