package dev.probestream.collector.stack;

import dev.probestream.bpf.proc.ProcessMaps;

/** A stack as the kernel walked it, with what its process had mapped then. */
final class RawStack {
    private final long stackId;
    /** Leaf first, the kernel's before the program's. */
    private final long[] addresses;

    private final int kernelFrames;
    private final ProcessView process;
    private final ProcessMaps maps;

    /**
     * @param addresses leaf first, the kernel's before the program's; owned from now on
     * @param kernelFrames how many of them are the kernel's
     * @param process whose the others are
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

    /** The first frame of the kernel's and of the program's part: where it was; the others are return addresses. */
    boolean isLeaf(int frame) {
        return frame == 0 || frame == kernelFrames;
    }

    ProcessView process() {
        return process;
    }

    /** What the process had mapped when the stack was seen. */
    ProcessMaps maps() {
        return maps;
    }
}
