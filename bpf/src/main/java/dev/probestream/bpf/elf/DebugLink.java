package dev.probestream.bpf.elf;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Optional;

/**
 * What the section .gnu_debuglink contains about the file that has the symbols (GDB's manual, "Debugging Information in
 * Separate Files"):
 *
 * <pre>
 * 0 file name, zero-terminated, padded to 4 · crc:4 (CRC-32 of the whole debug file)
 * </pre>
 *
 * @param fileName has no slash
 * @param crc32 the checksum of the whole debug file
 */
public record DebugLink(String fileName, int crc32) {
    static final String SECTION = ".gnu_debuglink";

    private static final int MAX_SECTION_BYTES = 4096 + 8;

    static Optional<DebugLink> read(ElfFile elf) throws IOException {
        Optional<byte[]> section = elf.sectionBytes(SECTION, MAX_SECTION_BYTES);
        return section.isPresent() ? Optional.of(parse(elf, section.get())) : Optional.empty();
    }

    private static DebugLink parse(ElfFile elf, byte[] section) throws ElfFormatException {
        int end = 0;
        while (end < section.length && section[end] != 0) {
            end++;
        }
        int crc = (end + 4) & -4;
        if (end == 0 || section.length - crc < 4) {
            throw elf.malformed(0, SECTION + " has no file name or no checksum");
        }
        String name = new String(section, 0, end, UTF_8);
        if (name.indexOf('/') >= 0 || name.equals(".") || name.equals("..")) {
            throw elf.malformed(0, SECTION + " names " + name + ", which is not the name of a file");
        }
        return new DebugLink(
                name, ByteBuffer.wrap(section).order(ByteOrder.LITTLE_ENDIAN).getInt(crc));
    }
}
