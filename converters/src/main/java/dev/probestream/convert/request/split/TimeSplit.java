package dev.probestream.convert.request.split;

/**
 * Where the time of a request went, in ns. The parts do not overlap and their sum is the request's duration (of one that was
 * open: up to the end of the capture). A part whose probes were not recorded is -1; its time is in the part around it:
 * that of {@link #gcNs} and {@link #offCpuNs} in {@link #javascriptNs}, all others' in {@link #unattributedNs}. Of several
 * that are true at once the first of these counts: garbage collection, off the CPU, JavaScript, pool run, pool queue, loop
 * wait, network.
 *
 * @param javascriptNs on the loop's thread in callbacks of this request: JavaScript and the native code it calls
 * @param gcNs of such callbacks, in pauses of the garbage collector
 * @param offCpuNs of such callbacks, while the thread was not on a CPU
 * @param loopWaitNs its work on the pool was done, and the loop did something else
 * @param poolQueueNs waiting for a thread of the pool
 * @param poolRunNs running on a thread of the pool
 * @param networkNs waiting for the other end of a connection: for the rest of the request's body, for a connection or an
 *     answer that it asked for
 * @param unattributedNs everything else
 */
public record TimeSplit(
        long javascriptNs,
        long gcNs,
        long offCpuNs,
        long loopWaitNs,
        long poolQueueNs,
        long poolRunNs,
        long networkNs,
        long unattributedNs) {}
