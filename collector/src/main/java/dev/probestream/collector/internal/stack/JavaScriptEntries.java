package dev.probestream.collector.internal.stack;

import dev.probestream.collector.internal.program.layout.JavaScriptRoom;
import java.nio.ByteBuffer;

/**
 * What the kernel read of the JavaScript frames of one stack, leaf first, in entries of three words (see
 * {@code JavaScriptRoom}).
 *
 * @param relocations the counter of collections that move objects, as it was at the hit; odd = one was running
 * @param flags what is missing: {@link JavaScriptRoom#CUT} and the others there
 * @param words of each entry its pc (or, for an async caller, its kind), its SharedFunctionInfo (tagged), and the raw word
 *     where an interpreter's frame has its bytecode offset; owned by this record
 */
@SuppressWarnings("ArrayRecordComponent") // owned; thousands of them a second
public record JavaScriptEntries(long relocations, int flags, long[] words) {
    static final int WORDS_PER_ENTRY = 3;
    /** A pc below is no address but the kind of an async caller. */
    private static final long MAX_KIND = 4096;

    /**
     * Continues the hash of a stack with what the kernel read of its JavaScript frames, without an allocation.
     *
     * @param offset of the {@link JavaScriptRoom} in the sample; -1 = there is none
     * @return 0 if there are no JavaScript frames
     */
    static long hash(long seed, ByteBuffer sample, int offset) {
        int words = offset < 0 ? 0 : WORDS_PER_ENTRY * JavaScriptRoom.count(sample, offset);
        if (words == 0) {
            return 0;
        }
        long hash = StackHash.with(seed, JavaScriptRoom.relocations(sample, offset));
        for (int i = 0; i < words; i++) {
            hash = StackHash.with(hash, JavaScriptRoom.word(sample, offset, i));
        }
        return StackHash.finish(hash);
    }

    static JavaScriptEntries read(ByteBuffer sample, int offset) {
        long[] words = new long[WORDS_PER_ENTRY * JavaScriptRoom.count(sample, offset)];
        for (int i = 0; i < words.length; i++) {
            words[i] = JavaScriptRoom.word(sample, offset, i);
        }
        return new JavaScriptEntries(
                JavaScriptRoom.relocations(sample, offset), JavaScriptRoom.flags(sample, offset), words);
    }

    public int count() {
        return words.length / WORDS_PER_ENTRY;
    }

    /** The address in the frame's code; 0 = not known. Of an async caller its kind. */
    public long pc(int entry) {
        return words[entry * WORDS_PER_ENTRY];
    }

    public long sharedFunctionInfo(int entry) {
        return words[entry * WORDS_PER_ENTRY + 1];
    }

    public long word(int entry) {
        return words[entry * WORDS_PER_ENTRY + 2];
    }

    /** Whether the entry is no frame but a function that awaits what the frames above do. */
    public boolean isAsync(int entry) {
        long pc = pc(entry);
        return pc > 0 && pc < MAX_KIND;
    }
}
