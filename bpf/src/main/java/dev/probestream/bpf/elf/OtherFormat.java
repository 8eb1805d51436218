package dev.probestream.bpf.elf;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.IOException;
import java.util.Map;

/** Recognises other file formats by their first bytes, for the message about a file that is not ELF. */
final class OtherFormat {
    private static final int FIRST_BYTES = 64;

    private static final Map<String, String> BY_START = Map.of(
            "!<arch>\n",
            "a static library; look at the program it was linked into",
            "PK\003\004",
            "a ZIP or jar archive; look at the program that opens it",
            "\312\376\272\276",
            "a Java class; look at libjvm.so",
            "MZ",
            "a program for Windows",
            "\037\213",
            "gzip data",
            "\375" + "7zXZ",
            "xz data",
            "(\265/\375",
            "zstd data",
            "/* GNU ld script",
            "a linker's script; look at the .so.N that it names");

    private OtherFormat() {}

    /** {@code " but ..."}, or "" for an unknown format. */
    static String suffixFor(ElfBytes bytes) throws IOException {
        int count = (int) Math.min(FIRST_BYTES, bytes.sizeBytes());
        if (count == 0) {
            return " but empty";
        }
        String start = new String(bytes.copy(0, count, "the first bytes"), ISO_8859_1);
        return BY_START.entrySet().stream()
                .filter(format -> start.startsWith(format.getKey()))
                .findFirst()
                .map(format -> " but " + format.getValue())
                .orElse("");
    }
}
