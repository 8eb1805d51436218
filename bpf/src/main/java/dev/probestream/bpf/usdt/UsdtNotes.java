package dev.probestream.bpf.usdt;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.probestream.bpf.elf.ElfFile;
import dev.probestream.bpf.elf.ElfFormatException;
import dev.probestream.bpf.elf.Note;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/**
 * Reads the USDT probes of an ELF file: the notes of type 3 and owner {@code stapsdt} in section .note.stapsdt.
 *
 * <pre>
 * 0 address of the instruction:8 8 base:8 16 semaphore:8 24 provider, zero-terminated · name, zero-terminated
 * · arguments, zero-terminated
 * </pre>
 *
 * The base is where section .stapsdt.base was when the note was written. If it is elsewhere now (prelink), all
 * addresses have moved by the same distance.
 */
public final class UsdtNotes {
    private static final String SECTION = ".note.stapsdt";
    private static final String BASE_SECTION = ".stapsdt.base";
    private static final String OWNER = "stapsdt";
    private static final int NT_STAPSDT = 3;

    private static final int BASE = 8;
    private static final int SEMAPHORE = 16;
    private static final int TEXTS = 24;

    private UsdtNotes() {}

    /**
     * {@return one per attach point, in the order of the file; empty for a file without probes} Reads nothing but the
     * note section.
     *
     * @param elf an open file; it stays the caller's
     * @throws ElfFormatException if a note is cut off, lacks a terminating zero, or names an address that is in no part
     *     of the file that is loaded
     * @throws IOException if the file cannot be read
     */
    public static List<UsdtNote> read(ElfFile elf) throws IOException {
        List<UsdtNote> probes = new ArrayList<>();
        OptionalLong baseNow = elf.sectionAddress(BASE_SECTION);
        for (Note note : elf.notesIn(SECTION)) {
            if (note.type() == NT_STAPSDT && note.owner().equals(OWNER) && !isOfRemovedCode(note)) {
                probes.add(read(elf, note, baseNow));
            }
        }
        return List.copyOf(probes);
    }

    /** A linker that drops unused code may keep its notes, with 0 for the address of what is gone (lld). */
    private static boolean isOfRemovedCode(Note note) {
        return note.description().capacity() >= Long.BYTES && note.description().getLong(0) == 0;
    }

    private static UsdtNote read(ElfFile elf, Note note, OptionalLong baseNow) throws ElfFormatException {
        ByteBuffer description = note.description();
        if (description.capacity() < TEXTS) {
            throw elf.malformed(
                    note.offsetInFile(),
                    "the stapsdt note has " + description.capacity() + " bytes; its addresses alone take " + TEXTS);
        }
        int provider = TEXTS;
        int name = afterText(elf, note, provider, "provider");
        int arguments = afterText(elf, note, name, "name");
        int end = afterText(elf, note, arguments, "arguments");
        String qualifiedName = text(description, provider, name) + ":" + text(description, name, arguments);

        long base = description.getLong(BASE);
        long moved = base != 0 && baseNow.isPresent() ? baseNow.getAsLong() - base : 0;
        long address = description.getLong(0) + moved;
        long writtenSemaphore = description.getLong(SEMAPHORE);
        long semaphore = writtenSemaphore == 0 ? 0 : writtenSemaphore + moved;
        String argumentText = argumentText(text(description, arguments, end));
        return new UsdtNote(
                text(description, provider, name),
                text(description, name, arguments),
                address,
                fileOffset(elf, note.offsetInFile(), "USDT probe " + qualifiedName, address),
                base,
                semaphore,
                semaphore == 0
                        ? 0
                        : fileOffset(
                                elf,
                                note.offsetInFile() + SEMAPHORE,
                                "the semaphore of USDT probe " + qualifiedName,
                                semaphore),
                argumentText,
                UsdtArgumentParser.parse(elf.machine(), argumentText));
    }

    /** The start of the next text: after the zero that ends this one. */
    private static int afterText(ElfFile elf, Note note, int start, String what) throws ElfFormatException {
        for (int at = start; at < note.description().capacity(); at++) {
            if (note.description().get(at) == 0) {
                return at + 1;
            }
        }
        throw elf.malformed(
                note.offsetInFile() + start, "the " + what + " of the stapsdt note does not end with a zero");
    }

    private static String text(ByteBuffer description, int start, int afterZero) {
        byte[] text = new byte[afterZero - 1 - start];
        description.get(start, text);
        return new String(text, UTF_8);
    }

    /** Some assemblers' macros write a lone colon for "no arguments". */
    private static String argumentText(String written) {
        return written.equals(":") ? "" : written;
    }

    private static long fileOffset(ElfFile elf, long noteOffset, String what, long virtualAddress)
            throws ElfFormatException {
        OptionalLong offset = elf.fileOffsetOfVirtualAddress(virtualAddress);
        if (offset.isEmpty()) {
            throw elf.malformed(
                    noteOffset,
                    what + " at virtual address 0x" + Long.toHexString(virtualAddress) + " is in no PT_LOAD segment");
        }
        return offset.getAsLong();
    }
}
