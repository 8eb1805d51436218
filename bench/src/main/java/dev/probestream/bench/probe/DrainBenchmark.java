package dev.probestream.bench.probe;

import dev.probestream.bench.measure.Benchmark;
import dev.probestream.bench.measure.CpuClock;
import dev.probestream.bench.measure.Folder;
import dev.probestream.bench.measure.ResultTable;
import dev.probestream.bench.measure.Samples;
import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.ring.RingBuffer;
import java.io.IOException;
import java.nio.file.Path;

/** Draining a full ring: {@code RingBuffer.poll} against libbpf's {@code ring_buffer__consume}, in turn, on one ring. */
public final class DrainBenchmark implements Benchmark {
    private static final int RING_SIZE_BYTES = 32 << 20;
    private static final int POLL_LIMIT = 8192;
    /** The first rounds run before the JVM has compiled what they use. */
    private static final int WARM_UP_ROUNDS = 10;

    private static final int ROUNDS = 31;
    private static final double LIMIT = 1.3;

    private long sum;

    @Override
    public String name() {
        return "drain";
    }

    @Override
    public String about() {
        return "a full ring of 112-byte records, each record's one field summed, ours against C with libbpf";
    }

    @Override
    public void run(ResultTable table) throws IOException, InterruptedException {
        Samples ours = new Samples();
        Samples libbpf = new Samples();
        Samples ratios = new Samples();
        try (Folder folder = Folder.create();
                TargetProgram target = TargetProgram.start(folder.path());
                RingFill ring = RingFill.attach(target, RING_SIZE_BYTES);
                CProgram.Running peer = startPeer(folder.path(), ring)) {
            for (int round = 0; round < WARM_UP_ROUNDS + ROUNDS; round++) {
                double ourNs = drainByUs(ring);
                double libbpfNs = drainByPeer(ring, peer);
                if (round >= WARM_UP_ROUNDS) {
                    ours.add(ourNs);
                    libbpf.add(libbpfNs);
                    ratios.add(ourNs / libbpfNs);
                }
            }
            table.measured("C, ring_buffer__consume", libbpf, "ns/record");
            table.measured("RingBuffer.poll", ours, "ns/record");
            table.atMost("RingBuffer.poll : ring_buffer__consume, median of the pairs", ratios.median(), "x", LIMIT);
            table.note(ROUNDS + " rounds of " + ring.capacity() + " records each; CPU time of the draining thread.");
        }
    }

    private static CProgram.Running startPeer(Path folder, RingFill ring) throws IOException, InterruptedException {
        CProgram peer = CProgram.compile(folder, "bench/drain", "-O2", "-Wl,--no-as-needed", "-lbpf");
        return peer.start(
                Long.toString(ProcessHandle.current().pid()),
                Integer.toString(ring.map().descriptorNumber()));
    }

    private double drainByUs(RingFill ring) throws IOException {
        ring.fill();
        sum = 0;
        // Anew each time: the peer has moved the position up to which the ring was read.
        try (RingBuffer buffer = RingBuffer.map(ring.map())) {
            long records = 0;
            int polled;
            long startNs = CpuClock.nowNs();
            do {
                polled = buffer.poll(
                        (bytes, offset, lengthBytes) -> sum += bytes.getLong(offset + RingFill.NUMBER_OFFSET),
                        POLL_LIMIT);
                records += polled;
            } while (polled == POLL_LIMIT);
            long tookNs = CpuClock.nowNs() - startNs;
            check("RingBuffer.poll", ring, records, sum);
            return (double) tookNs / records;
        }
    }

    private static double drainByPeer(RingFill ring, CProgram.Running peer) throws IOException {
        ring.fill();
        String[] answer = peer.ask("drain").split(" ");
        long records = Long.parseLong(answer[0]);
        check("libbpf", ring, records, Long.parseLong(answer[2]));
        return Double.parseDouble(answer[1]) / records;
    }

    private static void check(String who, RingFill ring, long records, long sum) {
        long capacity = ring.capacity();
        if (records != capacity || sum != capacity * (capacity - 1) / 2) {
            throw new IllegalStateException(who + " read " + records + " records with the sum " + sum + " of a ring of "
                    + capacity + " records");
        }
    }
}
