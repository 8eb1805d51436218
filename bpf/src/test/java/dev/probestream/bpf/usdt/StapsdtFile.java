package dev.probestream.bpf.usdt;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.List;

/**
 * The bytes of a small x86-64 shared object with stapsdt notes. Code is loaded from offset 0 to 0x1000 to address
 * 0x401000, data from 0x1000 to 0x2000 to 0x603000; section .stapsdt.base is at {@link #BASE}.
 */
final class StapsdtFile {
    static final long CODE = 0x401000;
    static final long DATA = 0x603000;
    static final long BASE = 0x401800;
    static final int NOTES_AT = 0x2000;

    private static final String NAMES = "\0.note.stapsdt\0.stapsdt.base\0.shstrtab\0";
    private static final int EM_X86_64 = 62;

    private StapsdtFile() {}

    /** The description of a note. */
    static byte[] description(long pc, long base, long semaphore, String texts) {
        byte[] text = texts.getBytes(UTF_8);
        byte[] description = new byte[24 + text.length];
        little(description).putLong(pc).putLong(base).putLong(semaphore).put(text);
        return description;
    }

    static byte[] with(byte[]... descriptions) {
        return of(EM_X86_64, List.of(descriptions));
    }

    static byte[] of(int machine, List<byte[]> descriptions) {
        ByteArrayOutputStream notes = new ByteArrayOutputStream();
        for (byte[] description : descriptions) {
            byte[] header = new byte[20];
            little(header).putInt(8).putInt(description.length).putInt(3).put("stapsdt\0".getBytes(UTF_8));
            notes.writeBytes(header);
            notes.writeBytes(description);
            notes.writeBytes(new byte[-description.length & 3]);
        }
        int names = NOTES_AT + notes.size();
        int sections = names + 64;
        byte[] bytes = new byte[sections + 4 * 64];
        ByteBuffer file = little(bytes);
        file.putInt(0x464c457f).put((byte) 2).put((byte) 1).put((byte) 1);
        file.putShort(16, (short) 3).putShort(18, (short) machine).putInt(20, 1);
        file.putLong(32, 64).putLong(40, sections);
        file.putShort(52, (short) 64).putShort(54, (short) 56).putShort(56, (short) 2);
        file.putShort(58, (short) 64).putShort(60, (short) 4).putShort(62, (short) 3);
        segment(file, 64, 5, 0, CODE);
        segment(file, 120, 6, 0x1000, DATA);
        file.position(NOTES_AT).put(notes.toByteArray());
        file.position(names).put(NAMES.getBytes(UTF_8));
        section(file, sections + 64, 1, 7, 0, NOTES_AT, notes.size());
        section(file, sections + 128, 15, 1, BASE, 0x800, 1);
        section(file, sections + 192, 29, 3, 0, names, NAMES.length());
        return bytes;
    }

    private static void segment(ByteBuffer file, int at, int flags, long offset, long address) {
        file.putInt(at, 1).putInt(at + 4, flags).putLong(at + 8, offset).putLong(at + 16, address);
        file.putLong(at + 32, 0x1000).putLong(at + 40, 0x1000).putLong(at + 48, 0x1000);
    }

    private static void section(ByteBuffer file, int at, int name, int type, long address, long offset, long size) {
        file.putInt(at, name).putInt(at + 4, type).putLong(at + 16, address);
        file.putLong(at + 24, offset).putLong(at + 32, size).putLong(at + 48, 4);
    }

    private static ByteBuffer little(byte[] bytes) {
        return ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
    }
}
