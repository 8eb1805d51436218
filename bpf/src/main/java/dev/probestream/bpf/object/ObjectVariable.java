package dev.probestream.bpf.object;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.probestream.bpf.btf.BtfFile;
import dev.probestream.bpf.btf.BtfKind;
import dev.probestream.bpf.kernel.BpfObjects;
import dev.probestream.bpf.map.BpfMap;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * A variable of an object: set before the object is loaded, and read afterwards. Numbers are those of C: enumerations, bool
 * and char are numbers.
 */
public final class ObjectVariable {
    private final String name;
    private final String map;
    private final int offsetBytes;
    private final int sizeBytes;
    private final boolean isNumber;
    private final boolean isSigned;
    /** The contents of the section that the object will be loaded with. */
    private final ByteBuffer section;

    private ObjectVariable(
            String name,
            String map,
            int offsetBytes,
            int sizeBytes,
            boolean isNumber,
            boolean isSigned,
            ByteBuffer section) {
        this.name = name;
        this.map = map;
        this.offsetBytes = offsetBytes;
        this.sizeBytes = sizeBytes;
        this.isNumber = isNumber;
        this.isSigned = isSigned;
        this.section = section;
    }

    static ObjectVariable of(BtfFile btf, int variableId, DataSection section, int offsetBytes, ByteBuffer contents)
            throws IOException {
        int type = btf.bareId(btf.referredId(variableId));
        BtfKind kind = type == 0 ? BtfKind.FORWARD : btf.kind(type);
        int size = (int) btf.storageBytes(type);
        boolean isNumber = (kind == BtfKind.INT || kind == BtfKind.ENUM || kind == BtfKind.ENUM64)
                && Integer.bitCount(size) == 1
                && size <= Long.BYTES;
        return new ObjectVariable(
                btf.name(variableId),
                section.name(),
                offsetBytes,
                size,
                isNumber,
                kind == BtfKind.INT && btf.isSignedInt(type),
                contents);
    }

    /** {@return its name} */
    public String name() {
        return name;
    }

    /** {@return the name of the map that holds it when the object is loaded, such as {@code .bss}} */
    public String map() {
        return map;
    }

    /** {@return where it begins in the first value of {@link #map}, in bytes} */
    public int offsetBytes() {
        return offsetBytes;
    }

    /** {@return its size in bytes} */
    public int sizeBytes() {
        return sizeBytes;
    }

    /**
     * Sets a number.
     *
     * @param value what it will be
     * @throws IllegalArgumentException when the variable is no number, or too small for it
     */
    public void set(long value) {
        requireNumber();
        int bits = sizeBytes * Byte.SIZE;
        boolean fits = bits == Long.SIZE
                || (isSigned ? ((value << (Long.SIZE - bits)) >> (Long.SIZE - bits)) == value : value >>> bits == 0);
        if (!fits) {
            throw new IllegalArgumentException(value + " does not fit variable " + name + ", "
                    + (isSigned ? "signed, " : "unsigned, ") + sizeBytes + " bytes");
        }
        for (int i = 0; i < sizeBytes; i++) {
            section.put(offsetBytes + i, (byte) (value >>> (8 * i)));
        }
    }

    /**
     * Sets a text with a terminating zero.
     *
     * @param text what it will be, as UTF-8
     * @throws IllegalArgumentException when the variable is too small for it
     */
    public void set(String text) {
        byte[] utf8 = text.getBytes(UTF_8);
        if (utf8.length >= sizeBytes) {
            throw new IllegalArgumentException("a text of " + utf8.length + " bytes and its terminating zero do not fit"
                    + " variable " + name + " of " + sizeBytes + " bytes");
        }
        set(ByteBuffer.wrap(Arrays.copyOf(utf8, sizeBytes)));
    }

    /**
     * Sets all bytes, of a structure or an array.
     *
     * @param bytes as many as the variable has, in the machine's byte order
     * @throws IllegalArgumentException when there are more or fewer
     */
    public void set(ByteBuffer bytes) {
        if (bytes.remaining() != sizeBytes) {
            throw new IllegalArgumentException(
                    bytes.remaining() + " bytes for variable " + name + " of " + sizeBytes + " bytes");
        }
        for (int i = 0; i < sizeBytes; i++) {
            section.put(offsetBytes + i, bytes.get(bytes.position() + i));
        }
    }

    /** {@return the number that the object will be loaded with} */
    public long get() {
        return number(section);
    }

    /**
     * {@return the number now, in the kernel}
     *
     * @param objects that were loaded from the object
     * @throws IllegalArgumentException when the variable is no number
     */
    public long read(BpfObjects objects) {
        return number(objects.map(map).lookup(BpfMap.key(0)).orElseThrow());
    }

    private long number(ByteBuffer bytes) {
        requireNumber();
        long value = 0;
        for (int i = 0; i < sizeBytes; i++) {
            value |= (bytes.get(offsetBytes + i) & 0xffL) << (8 * i);
        }
        int unused = Long.SIZE - sizeBytes * Byte.SIZE;
        return isSigned ? (value << unused) >> unused : value;
    }

    private void requireNumber() {
        if (!isNumber) {
            throw new IllegalArgumentException("variable " + name + " of " + sizeBytes + " bytes is no number");
        }
    }
}
