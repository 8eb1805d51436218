package dev.probestream.collector.stack;

import dev.probestream.bpf.proc.ProcessMaps;

/** The addresses of a stack, with the maps of its process at that time. */
final class RawStack {
    private final long stackId;
    /** Leaf first, kernel addresses before user addresses. */
    private final long[] addresses;

    private final int kernelFrames;
    private final ProcessView process;
    private final ProcessMaps maps;

    /**
     * @param addresses leaf first, kernel addresses before user addresses; ownership passes to this object
     * @param kernelFrames the number of kernel addresses
     * @param process the process that the user addresses belong to
     */
    RawStack(long stackId, long[] addresses, int kernelFrames, ProcessView process) {
        this.stackId = stackId;
        this.addresses = addresses;
        this.kernelFrames = kernelFrames;
        this.process = process;
        this.maps = process.maps();
    }

    long stackId() {
        return stackId;
    }

    int frameCount() {
        return addresses.length;
    }

    long address(int frame) {
        return addresses[frame];
    }

    boolean isKernelFrame(int frame) {
        return frame < kernelFrames;
    }

    /** Whether the frame is the first of the kernel part or of the user part. All others are return addresses. */
    boolean isLeaf(int frame) {
        return frame == 0 || frame == kernelFrames;
    }

    ProcessView process() {
        return process;
    }

    /** The maps of the process at the time of the stack. */
    ProcessMaps maps() {
        return maps;
    }
}
