package dev.probestream.bpf.kernel;

import java.util.List;

/** A program attached to user-space instructions: as many sites as the kernel took, and the refused ones by name. */
public final class UprobeAttachment implements Link {
    private final Links links;
    private final int attachedCount;
    private final List<RefusedAttachPoint> refused;

    UprobeAttachment(Links links, int attachedCount, List<RefusedAttachPoint> refused) {
        this.links = links;
        this.attachedCount = attachedCount;
        this.refused = List.copyOf(refused);
    }

    /** How many sites are probed now. */
    public int attachedCount() {
        return attachedCount;
    }

    /** The sites the kernel would not probe, with its reasons; empty when all went well. */
    public List<RefusedAttachPoint> refused() {
        return refused;
    }

    @Override
    public void close() {
        links.close();
    }
}
