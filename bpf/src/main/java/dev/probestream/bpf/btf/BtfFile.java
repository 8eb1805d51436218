package dev.probestream.bpf.btf;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.OptionalInt;

/**
 * The types of a kernel, from /sys/kernel/btf/vmlinux, or of an object of clang (Documentation/bpf/btf.rst).
 *
 * <pre>
 * header  0 magic eb9f:2 2 version:1 3 flags:1 4 hdr_len:4 8 type_off:4 12 type_len:4 16 str_off:4 20 str_len:4
 *         (both offsets from the end of the header)
 * type    0 name_off:4 4 info:4 (vlen:16, kind:5 from bit 24, kind_flag bit 31) 8 size or type:4, then by kind:
 *         INT encoding:4 · ARRAY elem_type:4 index_type:4 nelems:4 · VARIABLE linkage:4 · DECLARATION_TAG index:4
 *         STRUCT, UNION vlen × (name_off:4 type:4 offset:4) · ENUM vlen × 8 · ENUM64, DATA_SECTION vlen × 12
 *         FUNCTION_PROTOTYPE vlen × 8
 * </pre>
 *
 * The n-th type has id n; id 0 is void. There is no object per type: a type is the position of its bytes. Immutable.
 */
public final class BtfFile {
    private static final Path KERNEL = Path.of("/sys/kernel/btf/vmlinux");
    private static final short BTF_MAGIC = (short) 0xeb9f;
    private static final int HEADER_BYTES = 24;
    private static final int TYPE_BYTES = 12;

    private final String file;
    private final ByteBuffer bytes;
    private final int stringsStart;
    private final int stringsEnd;
    private final int typesEnd;
    /** Where each type starts; [0] is void and unused. */
    private final int[] positions;

    private BtfFile(String file, ByteBuffer bytes) throws BtfFormatException {
        this.file = file;
        this.bytes = bytes;
        if (bytes.capacity() < HEADER_BYTES || bytes.getShort(0) != BTF_MAGIC) {
            throw malformed(0, "is not little-endian BTF (does not start with 9f eb)");
        }
        long header = Integer.toUnsignedLong(bytes.getInt(4));
        int typesStart = checkedRegion(8, header, 12, "types");
        this.typesEnd = typesStart + bytes.getInt(12);
        this.stringsStart = checkedRegion(16, header, 20, "strings");
        this.stringsEnd = stringsStart + bytes.getInt(20);
        if (stringsEnd == stringsStart || bytes.get(stringsEnd - 1) != 0) {
            throw malformed(stringsStart, "the strings do not end with a zero");
        }
        this.positions = findTypes(typesStart, typesEnd);
    }

    /**
     * {@return the types of the running kernel; fails with a NoSuchFileException where it was built without them}
     *
     * @throws IOException if the file cannot be read or is malformed
     */
    public static BtfFile ofKernel() throws IOException {
        return parse(KERNEL.toString(), ByteBuffer.wrap(Files.readAllBytes(KERNEL)));
    }

    /**
     * Reads BTF that the caller no longer changes; errors name {@code file}.
     *
     * @param file its path
     * @param bytes the contents; not changed afterwards
     * @return the types
     * @throws BtfFormatException if the bytes are malformed
     */
    public static BtfFile parse(String file, ByteBuffer bytes) throws BtfFormatException {
        return new BtfFile(file, bytes.slice().order(ByteOrder.LITTLE_ENDIAN));
    }

    /** {@return how many types there are; their ids go from 1 to this} */
    public int typeCount() {
        return positions.length - 1;
    }

    /**
     * {@return the first type of this name and kind; empty where there is none, and for the empty name}
     *
     * @param name its name
     * @param kind of the type
     * @throws BtfFormatException if the bytes are malformed
     */
    public OptionalInt typeId(String name, BtfKind kind) throws BtfFormatException {
        byte[] wanted = name.getBytes(UTF_8);
        for (int id = name.isEmpty() ? positions.length : 1; id < positions.length; id++) {
            if (kind(id) == kind && isNamed(bytes.getInt(positions[id]), wanted, positions[id])) {
                return OptionalInt.of(id);
            }
        }
        return OptionalInt.empty();
    }

    /**
     * {@return the kind of a type; {@code id} is between 1 and {@link #typeCount}}
     *
     * @param id 1 to {@link #typeCount}
     */
    public BtfKind kind(int id) {
        return BtfKind.ofNumber(info(id) >>> 24 & 0x1f);
    }

    /**
     * {@return the name of a type, "" for an anonymous one}
     *
     * @param id 1 to {@link #typeCount}
     * @throws BtfFormatException if the bytes are malformed
     */
    public String name(int id) throws BtfFormatException {
        return text(bytes.getInt(positions[id]), positions[id]);
    }

    /**
     * {@return how many members, values, variables or parameters a type has}
     *
     * @param id 1 to {@link #typeCount}
     */
    public int memberCount(int id) {
        return info(id) & 0xffff;
    }

    boolean kindFlag(int id) {
        return info(id) < 0;
    }

    /**
     * {@return the size in bytes of a type of a kind that has one, unsigned}
     *
     * @param id 1 to {@link #typeCount}; of a POINTER, a typedef or an ARRAY the result has no meaning
     */
    public long sizeBytes(int id) {
        return Integer.toUnsignedLong(bytes.getInt(positions[id] + 8));
    }

    /**
     * {@return the id of the type that a pointer, typedef, qualifier, function or variable refers to; 0 is void}
     *
     * @param id 1 to {@link #typeCount}
     * @throws BtfFormatException if there is no such type
     */
    public int referredId(int id) throws BtfFormatException {
        return checkedId(positions[id] + 8);
    }

    /** Of an ARRAY. */
    int elementId(int id) throws BtfFormatException {
        return checkedId(positions[id] + TYPE_BYTES);
    }

    /**
     * {@return the number of elements of an ARRAY}
     *
     * @param id 1 to {@link #typeCount}, of an ARRAY
     */
    public long elementCount(int id) {
        return Integer.toUnsignedLong(bytes.getInt(positions[id] + TYPE_BYTES + 8));
    }

    /**
     * {@return whether an INT is signed}
     *
     * @param id 1 to {@link #typeCount}, of an INT
     */
    public boolean isSignedInt(int id) {
        return (bytes.getInt(positions[id] + TYPE_BYTES) >>> 24 & 1) != 0;
    }

    /** Of a STRUCT, UNION, ENUM or DATASEC: where a member's bytes are. */
    private int member(int id, int index) {
        return positions[id] + TYPE_BYTES + index * kind(id).memberBytes;
    }

    /**
     * {@return whether there is such a type; 0 is void and no type}
     *
     * @param id any number
     */
    public boolean isType(int id) {
        return id > 0 && id < positions.length;
    }

    /**
     * {@return the id of a variable of a DATASEC}
     *
     * @param id 1 to {@link #typeCount}, of a DATASEC
     * @param index from 0 to {@link #memberCount}
     * @throws BtfFormatException if it is no VARIABLE and no FUNCTION
     */
    public int variableId(int id, int index) throws BtfFormatException {
        int variable = checkedId(member(id, index));
        if (variable == 0 || (kind(variable) != BtfKind.VARIABLE && kind(variable) != BtfKind.FUNCTION)) {
            throw malformed(member(id, index), "type " + variable + " in a section is neither variable nor function");
        }
        return variable;
    }

    /**
     * {@return the type behind typedefs and qualifiers; 0 is void}
     *
     * @param id 0 to {@link #typeCount}
     * @throws BtfFormatException if the bytes are malformed
     */
    public int bareId(int id) throws BtfFormatException {
        return TypeChain.bare(this, id);
    }

    /**
     * {@return the size in bytes of any type, an array included; 0 for void and functions}
     *
     * @param id 0 to {@link #typeCount}
     * @throws BtfFormatException if the bytes are malformed, or it is larger than 2 GiB
     */
    public long storageBytes(int id) throws BtfFormatException {
        return TypeChain.sizeBytes(this, id);
    }

    /** Of an ENUM or ENUM64. */
    long enumeratorValue(int id, int index) {
        int low = bytes.getInt(member(id, index) + 4);
        if (kind(id) == BtfKind.ENUM64) {
            return Integer.toUnsignedLong(low) | ((long) bytes.getInt(member(id, index) + 8) << 32);
        }
        return kindFlag(id) ? low : Integer.toUnsignedLong(low);
    }

    /** Of a FUNCTION_PROTOTYPE. */
    int parameterTypeId(int id, int index) throws BtfFormatException {
        return checkedId(member(id, index) + 4);
    }

    /** Whether a type has this name, or this name with a flavor ({@code name___flavor}). */
    boolean isOfFamily(int id, byte[] wanted) throws BtfFormatException {
        int start = checkedName(bytes.getInt(positions[id]), positions[id]);
        if (stringsEnd - start <= wanted.length) {
            return false;
        }
        for (int i = 0; i < wanted.length; i++) {
            if (bytes.get(start + i) != wanted[i]) {
                return false;
            }
        }
        return bytes.get(start + wanted.length) == 0
                || (start + wanted.length + 3 < stringsEnd
                        && bytes.get(start + wanted.length) == '_'
                        && bytes.get(start + wanted.length + 1) == '_'
                        && bytes.get(start + wanted.length + 2) == '_'
                        && bytes.get(start + wanted.length + 3) != 0);
    }

    /** The string at an offset of the strings, for .BTF.ext. */
    String string(int offset) throws BtfFormatException {
        return text(offset, 16);
    }

    /** From the first type to the last one, as in the file. */
    byte[] typeBytes() {
        int end = typesEnd;
        int start = positions.length > 1 ? positions[1] : end;
        byte[] copy = new byte[end - start];
        bytes.get(start, copy);
        return copy;
    }

    byte[] stringBytes() {
        byte[] copy = new byte[stringsEnd - stringsStart];
        bytes.get(stringsStart, copy);
        return copy;
    }

    /** Where a type begins in {@link #typeBytes}. */
    int positionInTypes(int id) {
        return positions[id] - positions[1];
    }

    boolean isMemberNamed(int id, int index, byte[] wanted) throws BtfFormatException {
        return isNamed(bytes.getInt(member(id, index)), wanted, member(id, index));
    }

    boolean isMemberAnonymous(int id, int index) {
        return bytes.getInt(member(id, index)) == 0;
    }

    /**
     * {@return the name of a member of a STRUCT or UNION, or of a value of an ENUM; "" for an anonymous one}
     *
     * @param id 1 to {@link #typeCount}
     * @param index from 0 to {@link #memberCount}
     * @throws BtfFormatException if the bytes are malformed
     */
    public String memberName(int id, int index) throws BtfFormatException {
        return text(bytes.getInt(member(id, index)), member(id, index));
    }

    /**
     * {@return the type of a member of a STRUCT or UNION; 0 is void}
     *
     * @param id 1 to {@link #typeCount}
     * @param index from 0 to {@link #memberCount}
     * @throws BtfFormatException if there is no such type
     */
    public int memberTypeId(int id, int index) throws BtfFormatException {
        return checkedId(member(id, index) + 4);
    }

    /** With the kind flag: bit offset in the low 24 bits, size of a bit field above; else the bit offset. */
    int memberOffset(int id, int index) {
        return bytes.getInt(member(id, index) + 8);
    }

    BtfFormatException malformed(long offsetInFile, String problem) {
        return new BtfFormatException(file, offsetInFile, problem);
    }

    BtfFormatException malformedType(int id, String problem) {
        return malformed(isType(id) ? positions[id] : 0, "type " + id + " " + problem);
    }

    private int info(int id) {
        return bytes.getInt(positions[id] + 4);
    }

    private int checkedRegion(int offsetAt, long header, int lengthAt, String what) throws BtfFormatException {
        long start = header + Integer.toUnsignedLong(bytes.getInt(offsetAt));
        if (start + Integer.toUnsignedLong(bytes.getInt(lengthAt)) > bytes.capacity()) {
            throw malformed(offsetAt, "the " + what + " reach past the end (" + bytes.capacity() + " bytes)");
        }
        return (int) start;
    }

    private int[] findTypes(int typesStart, int typesEnd) throws BtfFormatException {
        int[] found = new int[Math.max(16, (typesEnd - typesStart) / 24)];
        int count = 1;
        int at = typesStart;
        while (at < typesEnd) {
            if (count == found.length) {
                found = Arrays.copyOf(found, count * 2);
            }
            found[count++] = at;
            at += typeLength(at, typesEnd);
        }
        return Arrays.copyOf(found, count);
    }

    private int typeLength(int at, int typesEnd) throws BtfFormatException {
        if (typesEnd - at < TYPE_BYTES) {
            throw malformed(at, "a type is cut off");
        }
        int info = bytes.getInt(at + 4);
        int kindNumber = info >>> 24 & 0x1f;
        if (!BtfKind.isKnown(kindNumber)) {
            throw malformed(at, "kind " + kindNumber + " is not known; this kernel is newer than Probestream");
        }
        BtfKind kind = BtfKind.ofNumber(kindNumber);
        int length = TYPE_BYTES + kind.extraBytes + (info & 0xffff) * kind.memberBytes;
        if (typesEnd - at < length) {
            throw malformed(at, "a type of kind " + kind + " is cut off");
        }
        return length;
    }

    private int checkedId(int at) throws BtfFormatException {
        int id = bytes.getInt(at);
        if (id < 0 || id >= positions.length) {
            throw malformed(at, "refers to type " + Integer.toUnsignedString(id) + " of " + typeCount());
        }
        return id;
    }

    private boolean isNamed(int nameOffset, byte[] wanted, int at) throws BtfFormatException {
        int start = checkedName(nameOffset, at);
        if (stringsEnd - start <= wanted.length) {
            return false;
        }
        for (int i = 0; i < wanted.length; i++) {
            if (bytes.get(start + i) != wanted[i]) {
                return false;
            }
        }
        return bytes.get(start + wanted.length) == 0;
    }

    private String text(int nameOffset, int at) throws BtfFormatException {
        int start = checkedName(nameOffset, at);
        int end = start;
        while (bytes.get(end) != 0) {
            end++;
        }
        byte[] name = new byte[end - start];
        bytes.get(start, name);
        return new String(name, UTF_8);
    }

    private int checkedName(int nameOffset, int at) throws BtfFormatException {
        if (nameOffset < 0 || nameOffset >= stringsEnd - stringsStart) {
            throw malformed(at, "the name is outside the strings");
        }
        return stringsStart + nameOffset;
    }
}
