package dev.probestream.collector.internal.v8.heap;

import dev.probestream.collector.internal.v8.heap.HeapException.Reason;
import dev.probestream.collector.internal.v8.layout.V8Layout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Checked reads of V8's objects. An object is named by its tagged pointer (the address plus 1). Each query from
 * outside begins with {@link #begin}, which gives it a budget and discards what was read before; within a request,
 * memory is read in aligned blocks, of which the last few are kept.
 *
 * <p>For one thread at a time.
 */
public final class HeapReader {
    /** Enough for a function, its script and names of ordinary size. */
    public static final int READS = 2_000;

    public static final long BYTES = 4L << 20;

    /** Does not cross a page, so that a block is readable as a whole or not at all. */
    private static final int BLOCK_BYTES = 512;

    private static final int BLOCKS = 32;
    private static final int WORD_BYTES = 8;
    private static final int MAX_TRIES = 4;
    private static final int TAG_MASK = 3;
    private static final int POINTER_TAG = 1;
    /** In no block: the lowest bits are set. */
    private static final long NO_BLOCK = -1;

    private final TargetMemory memory;
    private final V8Layout layout;
    /** The address of the block that is in each place of {@link #blocks}. */
    private final long[] blockAddresses = new long[BLOCKS];

    private final ByteBuffer blocks =
            ByteBuffer.allocateDirect(BLOCKS * BLOCK_BYTES).order(ByteOrder.LITTLE_ENDIAN);
    private int readsLeft;
    private long bytesLeft;

    public HeapReader(TargetMemory memory, V8Layout layout) {
        this.memory = memory;
        this.layout = layout;
        begin();
    }

    public V8Layout layout() {
        return layout;
    }

    /** Begins a request of ordinary size. */
    public void begin() {
        begin(READS, BYTES);
    }

    /** Begins a request that ends with {@link Reason#BUDGET} when it needs more than this. */
    public void begin(int reads, long bytes) {
        readsLeft = reads;
        bytesLeft = bytes;
        Arrays.fill(blockAddresses, NO_BLOCK);
    }

    /** Forgets what was read before in this request; its budget stays what is left. */
    public void refresh() {
        Arrays.fill(blockAddresses, NO_BLOCK);
    }

    /** Reads from the heap. */
    @FunctionalInterface
    public interface Question<T> {
        T answer() throws HeapException;
    }

    /**
     * Reads from objects that do not move, and through them from young strings, which do: a scavenge moves them, and no
     * counter is incremented for it. So the query is repeated until two results are equal.
     *
     * @throws HeapException also if two never are
     */
    public <T> T agreed(Question<T> question) throws HeapException {
        HeapException failure = new HeapException(Reason.UNEXPECTED, "two readings differ");
        @Nullable T before = null;
        for (int tries = 0; tries < MAX_TRIES; tries++) {
            refresh();
            @Nullable T answer;
            try {
                answer = question.answer();
            } catch (HeapException e) {
                if (e.reason() == Reason.BUDGET || tries > 1) {
                    throw e;
                }
                failure = e;
                answer = null;
                memory.awaitMove();
            }
            if (answer != null && answer.equals(before)) {
                return answer;
            }
            before = answer;
        }
        throw failure;
    }

    /** As {@link TargetMemory#awaitMove}; then what was read before is discarded. */
    public void awaitMove() {
        memory.awaitMove();
        refresh();
    }

    public static boolean isPointer(long word) {
        return (word & TAG_MASK) == POINTER_TAG;
    }

    public static boolean isSmi(long word) {
        return (int) word == 0;
    }

    /** The value of a Smi. */
    public static int smi(long word) {
        return (int) (word >> 32);
    }

    /** The 8 bytes at {@code offset} from the start of the object. */
    public long word(long object, int offset) throws HeapException {
        return longAt(object - POINTER_TAG + offset);
    }

    /** A field that holds a tagged pointer. */
    public long pointer(long object, int offset) throws HeapException {
        long word = word(object, offset);
        if (!isPointer(word)) {
            throw unexpected(object, "no pointer at " + offset);
        }
        return word;
    }

    /** The value of a field that holds a Smi. */
    public int smi(long object, int offset) throws HeapException {
        long word = word(object, offset);
        if (!isSmi(word)) {
            throw unexpected(object, "no Smi at " + offset);
        }
        return smi(word);
    }

    public int int32(long object, int offset) throws HeapException {
        return intAt(object - POINTER_TAG + offset);
    }

    public int uint16(long object, int offset) throws HeapException {
        return uint16At(object - POINTER_TAG + offset);
    }

    /** The instance type in the object's map, which must itself be a map. */
    public int instanceType(long object) throws HeapException {
        long map = map(object);
        int type = uint16(map, layout.maps().instanceType());
        long mapOfMap = map(map);
        if (uint16(mapOfMap, layout.maps().instanceType()) != layout.types().map()) {
            throw unexpected(object, "its map is none");
        }
        return type;
    }

    public boolean is(long object, int instanceType) throws HeapException {
        return isPointer(object) && instanceType(object) == instanceType;
    }

    /** @throws HeapException if the object has another type */
    public void require(long object, int instanceType) throws HeapException {
        int type = instanceType(object);
        if (type != instanceType) {
            throw unexpected(object, "instance type " + type + " instead of " + instanceType);
        }
    }

    /** The length of a FixedArray. */
    public int arrayLength(long array) throws HeapException {
        require(array, layout.types().fixedArray());
        int length = smi(array, layout.arrays().length());
        if (length < 0) {
            throw unexpected(array, "an array of length " + length);
        }
        return length;
    }

    /** The element of a FixedArray whose type and length have been checked. */
    public long arrayElement(long array, int index) throws HeapException {
        return longAt(array - POINTER_TAG + layout.arrays().elements() + (long) WORD_BYTES * index);
    }

    public long longAt(long address) throws HeapException {
        int within = within(address);
        if (within + Long.BYTES > BLOCK_BYTES) {
            return (intAt(address) & 0xffff_ffffL) | (long) intAt(address + Integer.BYTES) << 32;
        }
        return blocks.getLong(block(address) + within);
    }

    public int intAt(long address) throws HeapException {
        int within = within(address);
        if (within + Integer.BYTES > BLOCK_BYTES) {
            return uint16At(address) | uint16At(address + Short.BYTES) << 16;
        }
        return blocks.getInt(block(address) + within);
    }

    public int uint16At(long address) throws HeapException {
        return byteAt(address) | byteAt(address + 1) << 8;
    }

    public int byteAt(long address) throws HeapException {
        return blocks.get(block(address) + within(address)) & 0xff;
    }

    /** Fills {@code into} from its position to its limit; not by way of the blocks. */
    public void bytesAt(long address, ByteBuffer into) throws HeapException {
        spend(into.remaining());
        if (!memory.read(address, into)) {
            throw unreadable(address);
        }
    }

    /** What the block that holds the address has as its place in {@link #blocks}; read if it is not there. */
    private int block(long address) throws HeapException {
        long start = address & -BLOCK_BYTES;
        int place = (int) (start / BLOCK_BYTES) & (BLOCKS - 1);
        if (blockAddresses[place] != start) {
            spend(BLOCK_BYTES);
            blockAddresses[place] = NO_BLOCK;
            int offset = place * BLOCK_BYTES;
            if (!memory.read(start, blocks.limit(offset + BLOCK_BYTES).position(offset))) {
                throw unreadable(address);
            }
            blocks.clear();
            blockAddresses[place] = start;
        }
        return place * BLOCK_BYTES;
    }

    private static int within(long address) {
        return (int) address & (BLOCK_BYTES - 1);
    }

    private void spend(int bytes) throws HeapException {
        if (readsLeft <= 0 || bytesLeft < bytes) {
            throw new HeapException(Reason.BUDGET, "too much to read");
        }
        readsLeft--;
        bytesLeft -= bytes;
    }

    private long map(long object) throws HeapException {
        if (!isPointer(object)) {
            throw unexpected(object, "no pointer");
        }
        return pointer(object, 0);
    }

    private HeapException unreadable(long address) {
        blocks.clear();
        return new HeapException(Reason.UNREADABLE, "nothing is readable at 0x" + Long.toHexString(address));
    }

    static HeapException unexpected(long object, String what) {
        return new HeapException(Reason.UNEXPECTED, "0x" + Long.toHexString(object) + ": " + what);
    }
}
