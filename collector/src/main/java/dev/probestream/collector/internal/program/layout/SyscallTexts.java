package dev.probestream.collector.internal.program.layout;

/**
 * Which arguments of a system call are paths or other texts, as the value of its number in {@link
 * MapNames#SYSCALL_TEXTS}:
 *
 * <pre>
 * bits  0- 7  where the first text's pointer lies in an open entry, in 8-byte words; 0 = the call has no text
 * bits  8-15  likewise of the second text
 * bits 16-19  number of the first text's argument, counted from 0
 * bits 20-23  likewise of the second
 * bit  24     the texts are gone when the call succeeded (execve: its memory was replaced)
 * bit  25     each call is an event, also where other calls are summed
 * </pre>
 *
 * @param first number of the argument that is the first text, counted from 0; -1 = none
 * @param second likewise; -1 = none
 * @param goneOnSuccess whether success leaves nothing to be read
 * @param isRare whether each call is an event, also where other calls are summed
 */
public record SyscallTexts(int first, int second, boolean goneOnSuccess, boolean isRare) {
    public static final int GONE_ON_SUCCESS = 1 << 24;
    public static final int RARE = 1 << 25;
    public static final int FIRST_MASK = 0xff;
    public static final int SECOND_MASK = 0xff << 8;

    /** How much of a text is recorded. */
    public static final int CAPACITY_BYTES = 256;

    /** The value of the map. */
    public int encode(SyscallLayout layout) {
        int rare = isRare ? RARE : 0;
        if (first < 0) {
            return rare;
        }
        int encoded = rare | (layout.argumentOffset(first) / Long.BYTES) | (first << 16);
        if (second >= 0) {
            encoded |= ((layout.argumentOffset(second) / Long.BYTES) << 8) | (second << 20);
        }
        return goneOnSuccess ? encoded | GONE_ON_SUCCESS : encoded;
    }

    /** How many texts there are: 0, 1 or 2. */
    public int count() {
        return (first < 0 ? 0 : 1) + (second < 0 ? 0 : 1);
    }
}
