package dev.probestream.bpf.elf;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Reads notes (elf.h, Elf64_Nhdr): of the SHT_NOTE sections, or of the PT_NOTE segments of a file without sections.
 *
 * <pre>
 * 0 n_namesz:4 4 n_descsz:4 8 n_type:4 12 name, zero-terminated, padded · description, padded
 * </pre>
 *
 * Padding is to 4 bytes, or to 8 where the section is aligned to 8 ({@code .note.gnu.property}).
 */
final class NoteReader {
    private static final int HEADER_BYTES = 12;

    private NoteReader() {}

    static List<Note> read(ElfBytes bytes, ElfHeaders headers) throws IOException {
        List<Note> notes = new ArrayList<>();
        for (ElfHeaders.Section section : headers.sections()) {
            if (section.type() == ElfHeaders.Section.SHT_NOTE && !section.isCompressed()) {
                read(bytes, section.offsetInFile(), section.sizeBytes(), section.alignment(), notes);
            }
        }
        if (headers.sections().isEmpty()) {
            for (ElfHeaders.Segment segment : headers.segments()) {
                if (segment.type() == ElfHeaders.Segment.PT_NOTE) {
                    read(bytes, segment.offsetInFile(), segment.sizeInFileBytes(), segment.alignment(), notes);
                }
            }
        }
        return List.copyOf(notes);
    }

    static List<Note> readSections(ElfBytes bytes, ElfHeaders headers, String name) throws IOException {
        List<Note> notes = new ArrayList<>();
        for (ElfHeaders.Section section : headers.sections()) {
            if (section.type() == ElfHeaders.Section.SHT_NOTE
                    && !section.isCompressed()
                    && section.name().equals(name)) {
                read(bytes, section.offsetInFile(), section.sizeBytes(), section.alignment(), notes);
            }
        }
        return List.copyOf(notes);
    }

    private static void read(ElfBytes bytes, long offset, long sizeBytes, long alignment, List<Note> notes)
            throws IOException {
        ByteBuffer region = bytes.region(offset, sizeBytes, "a note section").asReadOnlyBuffer();
        region.order(ByteOrder.LITTLE_ENDIAN);
        int padding = alignment == 8 ? 8 : 4;
        int at = 0;
        while (region.capacity() - at >= HEADER_BYTES) {
            long nameSize = Integer.toUnsignedLong(region.getInt(at));
            long descriptionSize = Integer.toUnsignedLong(region.getInt(at + 4));
            long description = padded(at + HEADER_BYTES + nameSize, padding);
            if (description + descriptionSize > region.capacity()) {
                throw bytes.malformed(offset + at, "the note reaches past the end of its section");
            }
            notes.add(new Note(
                    name(region, at + HEADER_BYTES, (int) nameSize),
                    region.getInt(at + 8),
                    region.slice((int) description, (int) descriptionSize).order(ByteOrder.LITTLE_ENDIAN),
                    offset + description));
            at = (int) Math.min(padded(description + descriptionSize, padding), region.capacity());
        }
    }

    private static String name(ByteBuffer region, int start, int sizeBytes) {
        byte[] name = new byte[sizeBytes];
        region.get(start, name);
        int length = sizeBytes > 0 && name[sizeBytes - 1] == 0 ? sizeBytes - 1 : sizeBytes;
        return new String(name, 0, length, UTF_8);
    }

    private static long padded(long position, int padding) {
        return (position + padding - 1) & -padding;
    }
}
