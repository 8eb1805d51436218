package dev.probestream.bpf.kernel;

import java.util.List;

/** A program attached to user-space instructions, and the attach points that the kernel refused. */
public final class UprobeAttachment implements Link {
    private final Links links;
    private final int attachedCount;
    private final List<RefusedAttachPoint> refused;

    UprobeAttachment(Links links, int attachedCount, List<RefusedAttachPoint> refused) {
        this.links = links;
        this.attachedCount = attachedCount;
        this.refused = List.copyOf(refused);
    }

    /** {@return the number of attach points at which the program runs} */
    public int attachedCount() {
        return attachedCount;
    }

    /** {@return the attach points that the kernel refused, with its errors} */
    public List<RefusedAttachPoint> refused() {
        return refused;
    }

    @Override
    public void close() {
        links.close();
    }
}
