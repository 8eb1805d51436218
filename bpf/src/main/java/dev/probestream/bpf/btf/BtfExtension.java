package dev.probestream.bpf.btf;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * What clang records about instructions in the section .BTF.ext (Documentation/bpf/btf.rst, tools/lib/bpf/libbpf_internal.h):
 *
 * <pre>
 * header    0 magic eb9f:2 2 version:1 3 flags:1 4 hdr_len:4 8 func_info_off:4 12 func_info_len:4
 *           16 line_info_off:4 20 line_info_len:4 24 core_relo_off:4 28 core_relo_len:4
 *           (offsets from the end of the header; the last two only if hdr_len is 32 or more)
 * each part record_size:4, then for each section  0 sec_name_off:4 4 num_info:4 8 num_info × record
 * function  0 insn_off:4 4 type_id:4
 * line      0 insn_off:4 4 file_name_off:4 8 line_off:4 12 line_col:4
 * core      0 insn_off:4 4 type_id:4 8 access_str_off:4 12 kind:4
 * </pre>
 *
 * Offsets of instructions are in bytes from the start of their section.
 *
 * @param functions where functions begin
 * @param lines the lines of the source, by their first instruction
 * @param relocations the CO-RE relocations
 */
public record BtfExtension(List<Function> functions, List<Line> lines, List<CoreRelocation> relocations) {
    /** Of an object without this section. */
    public static final BtfExtension NONE = new BtfExtension(List.of(), List.of(), List.of());

    private static final short BTF_MAGIC = (short) 0xeb9f;
    private static final int HEADER_BYTES = 24;
    private static final int HEADER_WITH_CORE_BYTES = 32;
    private static final int MAX_RECORD_BYTES = 4096;

    public BtfExtension {
        functions = List.copyOf(functions);
        lines = List.copyOf(lines);
        relocations = List.copyOf(relocations);
    }

    /**
     * The beginning of a function.
     *
     * @param section the name of its section
     * @param offsetBytes of its first instruction
     * @param typeId the id of the FUNCTION
     */
    public record Function(String section, int offsetBytes, int typeId) {}

    /**
     * A line of the source.
     *
     * @param section the name of the section
     * @param offsetBytes of its first instruction
     * @param fileNameOffset of the file's name in the strings
     * @param lineOffset of the line's text in the strings
     * @param lineColumn the number of the line, from bit 10, and the column
     */
    public record Line(String section, int offsetBytes, int fileNameOffset, int lineOffset, int lineColumn) {}

    /**
     * Reads the section.
     *
     * @param btf the types of the same object, which hold the strings
     * @param file for errors
     * @param bytes the contents of .BTF.ext
     * @return the records
     * @throws BtfFormatException if the bytes are malformed
     */
    public static BtfExtension parse(BtfFile btf, String file, ByteBuffer bytes) throws BtfFormatException {
        return new Reader(btf, file, bytes.slice().order(ByteOrder.LITTLE_ENDIAN)).read();
    }

    private record Reader(BtfFile btf, String file, ByteBuffer bytes) {
        BtfExtension read() throws BtfFormatException {
            if (bytes.capacity() < HEADER_BYTES || bytes.getShort(0) != BTF_MAGIC) {
                throw malformed(0, "is not little-endian BTF (does not start with 9f eb)");
            }
            List<Function> functions = new ArrayList<>();
            part(8, 8, (section, at) -> functions.add(new Function(section, bytes.getInt(at), bytes.getInt(at + 4))));
            List<Line> lines = new ArrayList<>();
            part(
                    16,
                    16,
                    (section, at) -> lines.add(new Line(
                            section,
                            bytes.getInt(at),
                            bytes.getInt(at + 4),
                            bytes.getInt(at + 8),
                            bytes.getInt(at + 12))));
            List<CoreRelocation> relocations = new ArrayList<>();
            if (bytes.getInt(4) >= HEADER_WITH_CORE_BYTES && bytes.capacity() >= HEADER_WITH_CORE_BYTES) {
                part(24, 16, (section, at) -> relocations.add(relocation(section, at)));
            }
            return new BtfExtension(functions, lines, relocations);
        }

        private CoreRelocation relocation(String section, int at) throws BtfFormatException {
            int kind = bytes.getInt(at + 12);
            if (!CoreKind.isKnown(kind)) {
                throw malformed(at + 12, "CO-RE relocation of an unknown kind " + kind);
            }
            int type = bytes.getInt(at + 4);
            if (type != 0 && !btf.isType(type)) {
                throw malformed(
                        at + 4, "CO-RE relocation of type " + Integer.toUnsignedString(type) + ", which is not there");
            }
            return new CoreRelocation(
                    section, bytes.getInt(at), type, btf.string(bytes.getInt(at + 8)), CoreKind.ofNumber(kind));
        }

        private void part(int offsetAt, int recordBytes, RecordReader reader) throws BtfFormatException {
            long start = Integer.toUnsignedLong(bytes.getInt(4)) + Integer.toUnsignedLong(bytes.getInt(offsetAt));
            long end = start + Integer.toUnsignedLong(bytes.getInt(offsetAt + 4));
            if (start == end) {
                return;
            }
            if (end > bytes.capacity() || end - start < 4) {
                throw malformed(offsetAt, "a part reaches past the end (" + bytes.capacity() + " bytes)");
            }
            int size = bytes.getInt((int) start);
            if (size < recordBytes || size > MAX_RECORD_BYTES) {
                throw malformed(start, "records of " + size + " bytes instead of " + recordBytes);
            }
            long at = start + 4;
            while (at < end) {
                long count = end - at < 8 ? -1 : Integer.toUnsignedLong(bytes.getInt((int) at + 4));
                if (count < 0 || count * size > end - at - 8) {
                    throw malformed(at, "the records of a section are cut off");
                }
                String section = btf.string(bytes.getInt((int) at));
                at += 8;
                for (long i = 0; i < count; i++, at += size) {
                    reader.read(section, (int) at);
                }
            }
        }

        private BtfFormatException malformed(long offset, String problem) {
            return new BtfFormatException(file, offset, problem);
        }
    }

    private interface RecordReader {
        void read(String section, int at) throws BtfFormatException;
    }
}
