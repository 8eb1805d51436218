package dev.probestream.collector.internal.program.layout;

/**
 * Where the stacks of a sample lie; drawn in {@link EventLayout}.
 *
 * @param offset of the two counts of bytes, from the start of the sample
 * @param depths how many frames fit
 */
public record StackRoom(int offset, StackDepths depths) {
    /** Whether the sample has any stack. */
    public boolean isAny() {
        return !depths.isNone();
    }

    /** Offset of the s32 with the number of bytes that were written of the kernel's stack. */
    public int kernelBytesOffset() {
        return offset;
    }

    /** Offset of the s32 with the number of bytes that were written of the user stack. */
    public int userBytesOffset() {
        return offset + Integer.BYTES;
    }

    /** Where the addresses of the kernel's stack begin. */
    public int kernelFramesOffset() {
        return offset + 2 * Integer.BYTES;
    }

    /** Where the addresses of the user stack begin. */
    public int userFramesOffset() {
        return kernelFramesOffset() + depths.kernel() * Long.BYTES;
    }

    /** The room for JavaScript frames, behind the user stack. */
    public JavaScriptRoom javaScript() {
        return new JavaScriptRoom(userFramesOffset() + depths.user() * Long.BYTES, depths.javaScript());
    }

    public int sizeBytes() {
        return isAny()
                ? 2 * Integer.BYTES
                        + (depths.kernel() + depths.user()) * Long.BYTES
                        + javaScript().sizeBytes()
                : 0;
    }
}
