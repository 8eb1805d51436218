package dev.probestream.collector.internal.stack;

import dev.probestream.bpf.proc.ProcessMaps;

/** The addresses of a stack, with the maps of its process at that time. */
final class RawStack {
    private final long stackId;
    /** Leaf first, kernel addresses before user addresses. */
    private final long[] addresses;

    private final int kernelFrames;
    private final ProcessView process;
    private final ProcessMaps maps;
    private final ProcessMaps logged;

    /**
     * @param addresses leaf first, kernel addresses before user addresses; ownership passes to this object
     * @param kernelFrames the number of kernel addresses
     * @param process the process that the user addresses belong to
     * @param logged the code that it had mapped at that time, as far as the kernel recorded it
     */
    RawStack(long stackId, long[] addresses, int kernelFrames, ProcessView process, ProcessMaps logged) {
        this.stackId = stackId;
        this.addresses = addresses;
        this.kernelFrames = kernelFrames;
        this.process = process;
        this.maps = process.maps();
        this.logged = logged;
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

    /** The maps of the process as read before the stack or when it came; they may be those of another program that it executed since. */
    ProcessMaps maps() {
        return maps;
    }

    /** The code that the process had mapped at the time of the stack, as far as the kernel recorded it. */
    ProcessMaps logged() {
        return logged;
    }
}
