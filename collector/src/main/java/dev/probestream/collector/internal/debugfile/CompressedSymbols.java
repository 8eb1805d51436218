package dev.probestream.collector.internal.debugfile;

import dev.probestream.bpf.elf.ElfFile;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Optional;
import org.tukaani.xz.XZInputStream;

/**
 * Reads .gnu_debugdata: an ELF file with a .symtab, compressed with xz (GDB's manual, "MiniDebugInfo"). Memory is
 * bounded whatever the section contains: the compressed and the decompressed size, and the dictionary of the decoder.
 */
final class CompressedSymbols {
    static final String SECTION = ".gnu_debugdata";

    private static final int MAX_COMPRESSED_BYTES = 16 << 20;
    /** Fedora's largest, of a web browser, have some 20 MB. */
    static final int MAX_BYTES = 32 << 20;

    private static final int MAX_DICTIONARY_KIB = 1 << 16;

    private CompressedSymbols() {}

    /** Empty if the file has no such section. The result is in memory. */
    static Optional<ElfFile> read(ElfFile stripped) throws IOException {
        Optional<byte[]> section = stripped.sectionBytes(SECTION, MAX_COMPRESSED_BYTES);
        if (section.isEmpty()) {
            return Optional.empty();
        }
        String name = stripped.name() + " (" + SECTION + ")";
        return Optional.of(ElfFile.parse(name, ByteBuffer.wrap(decompress(stripped, section.get()))));
    }

    private static byte[] decompress(ElfFile stripped, byte[] section) throws IOException {
        byte[] bytes;
        try (XZInputStream in = new XZInputStream(new ByteArrayInputStream(section), MAX_DICTIONARY_KIB)) {
            bytes = in.readNBytes(MAX_BYTES + 1);
        } catch (IOException | RuntimeException e) {
            throw stripped.malformed(0, SECTION + " cannot be decompressed: " + e);
        }
        if (bytes.length > MAX_BYTES) {
            throw stripped.malformed(0, SECTION + " has more than " + MAX_BYTES + " bytes decompressed");
        }
        return bytes;
    }
}
