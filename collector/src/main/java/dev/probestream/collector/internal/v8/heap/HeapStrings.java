package dev.probestream.collector.internal.v8.heap;

import static dev.probestream.collector.internal.v8.layout.V8Layout.Strings;

import dev.probestream.collector.internal.v8.heap.HeapException.Reason;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;

/**
 * Strings of every representation: sequential and external ones hold characters; cons, sliced and thin ones refer to
 * others. The parts of a string are visited in order and without recursion; a string that contains itself ends at
 * {@link #MAX_PARTS}.
 */
public final class HeapStrings {
    /** More parts than this are no name: V8 itself flattens a string before it reads it. */
    private static final int MAX_PARTS = 10_000;
    /** String::kMaxLength on 64-bit machines (v8/include/v8-primitive.h). */
    private static final int MAX_LENGTH = 536_870_888;

    private static final int CHUNK_CHARACTERS = 16 << 10;

    private final HeapReader heap;
    private final Strings layout;
    /** Characters of one read. */
    private final ByteBuffer bytes =
            ByteBuffer.allocateDirect(CHUNK_CHARACTERS * Character.BYTES).order(ByteOrder.LITTLE_ENDIAN);

    private final byte[] oneByte = new byte[CHUNK_CHARACTERS];
    private final char[] characters = new char[CHUNK_CHARACTERS];

    public HeapStrings(HeapReader heap) {
        this.heap = heap;
        this.layout = heap.layout().strings();
    }

    /** Receives the characters of a string piece by piece. */
    public interface Sink {
        /**
         * @param characters valid only during the call
         * @return whether to go on
         */
        boolean accept(char[] characters, int count);
    }

    public static boolean isStringType(int instanceType) {
        return instanceType < Strings.FIRST_NONSTRING_TYPE;
    }

    public boolean isString(long word) throws HeapException {
        return HeapReader.isPointer(word) && isStringType(heap.instanceType(word));
    }

    /** In UTF-16 code units. */
    public int length(long string) throws HeapException {
        int length = heap.int32(string, layout.length());
        if (length < 0 || length > MAX_LENGTH) {
            throw HeapReader.unexpected(string, "a string of length " + length);
        }
        return length;
    }

    /** The string, or its first {@code maxCharacters}. */
    public String string(long string, int maxCharacters) throws HeapException {
        StringBuilder text = new StringBuilder();
        read(string, 0, maxCharacters, (piece, count) -> {
            text.append(piece, 0, count);
            return true;
        });
        return text.toString();
    }

    /**
     * Passes the characters from {@code from} to before {@code to}, or the end of the string, on to {@code sink}.
     *
     * @throws HeapException also after characters were passed on: they are then not to be used
     */
    public void read(long string, int from, int to, Sink sink) throws HeapException {
        int end = Math.min(to, length(string));
        List<Piece> pieces = pieces(string, Math.max(0, from), end);
        for (Piece piece : pieces) {
            if (!read(piece, sink)) {
                break;
            }
        }
        heap.refresh();
        if (!pieces(string, Math.max(0, from), end).equals(pieces)) {
            throw HeapReader.unexpected(string, "its pieces have moved while they were read");
        }
    }

    /** Where the characters of a string are, in their order. */
    private List<Piece> pieces(long string, int from, int to) throws HeapException {
        List<Piece> pieces = new ArrayList<>(1);
        Deque<Part> parts = new ArrayDeque<>();
        addPart(parts, string, from, to);
        for (int visited = 0; !parts.isEmpty(); visited++) {
            if (visited == MAX_PARTS) {
                throw new HeapException(Reason.BUDGET, "a string of too many parts");
            }
            Part part = parts.pop();
            int type = heap.instanceType(part.string);
            if (!isStringType(type)) {
                throw HeapReader.unexpected(part.string, "no string, but of instance type " + type);
            }
            if (part.to > length(part.string)) {
                throw HeapReader.unexpected(part.string, "shorter than the string that contains it");
            }
            switch (type & Strings.REPRESENTATION_MASK) {
                case Strings.SEQUENTIAL, Strings.EXTERNAL -> pieces.add(piece(part, type));
                case Strings.CONS -> addHalves(parts, part);
                case Strings.SLICED -> {
                    int offset = heap.smi(part.string, layout.slicedOffset());
                    if (offset < 0 || offset > MAX_LENGTH) {
                        throw HeapReader.unexpected(part.string, "a slice at " + offset);
                    }
                    long parent = heap.pointer(part.string, layout.slicedParent());
                    addPart(parts, parent, part.from + offset, part.to + offset);
                }
                case Strings.THIN -> addPart(parts, heap.pointer(part.string, layout.thinActual()), part.from, part.to);
                default -> throw HeapReader.unexpected(part.string, "a string of instance type " + type);
            }
        }
        return pieces;
    }

    /** Characters in one place. */
    private record Piece(long address, int count, boolean isOneByte) {}

    /** Characters {@code from} to before {@code to} of a string. */
    private record Part(long string, int from, int to) {}

    private static void addPart(Deque<Part> parts, long string, int from, int to) {
        if (from < to) {
            parts.push(new Part(string, from, to));
        }
    }

    private void addHalves(Deque<Part> parts, Part part) throws HeapException {
        long first = heap.pointer(part.string, layout.consFirst());
        long second = heap.pointer(part.string, layout.consSecond());
        int firstLength = length(first);
        addPart(parts, second, Math.max(0, part.from - firstLength), part.to - firstLength);
        addPart(parts, first, part.from, Math.min(part.to, firstLength));
    }

    /** Of a sequential or external string. */
    private Piece piece(Part part, int type) throws HeapException {
        boolean isOneByte = (type & Strings.ONE_BYTE) != 0;
        long start = charactersOf(part.string, type, isOneByte);
        return new Piece(start + (long) part.from * (isOneByte ? 1 : Character.BYTES), part.to - part.from, isOneByte);
    }

    /** Whether to go on. */
    private boolean read(Piece piece, Sink sink) throws HeapException {
        int width = piece.isOneByte ? 1 : Character.BYTES;
        for (int done = 0; done < piece.count; done += CHUNK_CHARACTERS) {
            int count = Math.min(piece.count - done, CHUNK_CHARACTERS);
            heap.bytesAt(piece.address + (long) done * width, bytes.clear().limit(count * width));
            bytes.flip();
            if (piece.isOneByte) {
                bytes.get(oneByte, 0, count);
                for (int i = 0; i < count; i++) {
                    characters[i] = (char) (oneByte[i] & 0xff);
                }
            } else {
                bytes.asCharBuffer().get(characters, 0, count);
            }
            if (!sink.accept(characters, count)) {
                return false;
            }
        }
        return true;
    }

    /** The address of the characters. */
    private long charactersOf(long string, int type, boolean isOneByte) throws HeapException {
        if ((type & Strings.REPRESENTATION_MASK) == Strings.SEQUENTIAL) {
            return string - 1 + (isOneByte ? layout.oneByteCharacters() : layout.twoByteCharacters());
        }
        if ((type & Strings.UNCACHED_EXTERNAL) != 0) {
            throw HeapReader.unexpected(string, "an external string without the address of its characters");
        }
        return heap.word(string, layout.externalCharacters());
    }
}
