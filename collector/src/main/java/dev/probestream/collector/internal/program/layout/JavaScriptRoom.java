package dev.probestream.collector.internal.program.layout;

import dev.probestream.collector.internal.program.layout.v8.V8ProcessLayout;
import java.nio.ByteBuffer;

/**
 * Where the JavaScript frames of a sample lie, behind its user stack ({@code struct javascript_room} of
 * src/main/bpf/v8.h):
 *
 * <pre>
 * offset  size  field
 *      0     4  count             of entries
 *      4     4  flags             1 = there were more frames than room, 2 = memory could not be read, 4 = there are more
 *                                 async callers than were read
 *      8     8  relocations       of {@link V8ProcessLayout} at the hit
 *     16     8  framePointer      }
 *     24     8  pc                } of the program while it walks: nothing to be decoded
 *     32     8  functionMap       }
 *     40     8  isolate           }
 *     48        the entries, leaf first, each of
 *                 8  pc                  the address at which the frame goes on, as in the user stack; 0 = not known, for a
 *                                        frame that none below it returns to; below 4096 the kind of an async caller
 *                 8  sharedFunctionInfo  tagged pointer
 *                 8  word                the Smi at the frame pointer - 40, of an interpreted frame the bytecode offset; 0 where
 *                                        no Smi is
 *     ..   128  what the program reads of the next frame and its function
 * </pre>
 *
 * @param offset from the start of the sample
 * @param frames how many entries fit; 0 = there is no such room
 */
public record JavaScriptRoom(int offset, int frames) {
    public static final int COUNT_OFFSET = 0;
    public static final int FLAGS_OFFSET = 4;
    public static final int RELOCATIONS_OFFSET = 8;
    public static final int ENTRIES_OFFSET = 48;

    public static final int ENTRY_SIZE_BYTES = 24;
    public static final int ENTRY_PC_OFFSET = 0;
    public static final int ENTRY_SHARED_OFFSET = 8;
    public static final int ENTRY_WORD_OFFSET = 16;

    /** There were more frames than fit. */
    public static final int CUT = 1;
    /** The walk ended where memory could not be read. */
    public static final int UNREADABLE = 2;

    /** A stack has at most so many async callers. */
    public static final int MAX_ASYNC_CALLERS = 16;

    /** There were more async callers than fit, or than are read of a stack, or memory could not be read. */
    public static final int ASYNC_CUT = 4;

    /** What the program reads a frame and its function into: at the place of the next entry, which may be behind the last one. */
    private static final int READ_AHEAD_BYTES = 128;

    private static final int WORDS_PER_ENTRY = ENTRY_SIZE_BYTES / Long.BYTES;

    public boolean isAny() {
        return frames > 0;
    }

    public int sizeBytes() {
        return isAny() ? ENTRIES_OFFSET + frames * ENTRY_SIZE_BYTES + READ_AHEAD_BYTES : 0;
    }

    /**
     * The number of entries of a room.
     *
     * @param roomOffset in the buffer
     */
    public static int count(ByteBuffer sample, int roomOffset) {
        return sample.getInt(roomOffset + COUNT_OFFSET);
    }

    public static int flags(ByteBuffer sample, int roomOffset) {
        return sample.getInt(roomOffset + FLAGS_OFFSET);
    }

    public static long relocations(ByteBuffer sample, int roomOffset) {
        return sample.getLong(roomOffset + RELOCATIONS_OFFSET);
    }

    /**
     * One of the words of all entries.
     *
     * @param index three times the entry's number, plus 0 for its pc, 1 for its function, 2 for its word
     */
    public static long word(ByteBuffer sample, int roomOffset, int index) {
        if (index >= WORDS_PER_ENTRY * count(sample, roomOffset)) {
            throw new IndexOutOfBoundsException(index);
        }
        return sample.getLong(roomOffset + ENTRIES_OFFSET + index * Long.BYTES);
    }
}
