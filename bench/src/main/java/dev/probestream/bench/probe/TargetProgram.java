package dev.probestream.bench.probe;

import dev.probestream.bpf.CProgram;
import dev.probestream.bpf.kernel.AttachPoint;
import java.io.IOException;
import java.nio.file.Path;

/** The running program whose function {@code probed} is hit: {@code target.c}. */
public final class TargetProgram implements AutoCloseable {
    /** The function that is called. */
    public static final String FUNCTION = "probed";

    private final CProgram program;
    private final long fileOffset;
    private final CProgram.Running running;

    private TargetProgram(CProgram program, long fileOffset, CProgram.Running running) {
        this.program = program;
        this.fileOffset = fileOffset;
        this.running = running;
    }

    /**
     * Compiles it into the folder and starts it.
     *
     * @throws IOException when there is no compiler
     */
    public static TargetProgram start(Path folder) throws IOException, InterruptedException {
        CProgram program = CProgram.compile(folder, "bench/target", "-fcf-protection=none");
        return new TargetProgram(program, program.functionOffset(FUNCTION), program.start());
    }

    public int pid() {
        return running.pid();
    }

    Path executable() {
        return program.executable();
    }

    /** Where its function is to be probed. */
    AttachPoint site(long cookie) {
        return new AttachPoint(program.executable(), fileOffset, 0, cookie);
    }

    /**
     * Has it call the function.
     *
     * @return CPU nanoseconds that all calls together took the calling thread; being preempted does not count
     */
    public long call(long count) throws IOException {
        return Long.parseLong(running.ask("call " + count));
    }

    /**
     * What calling at a pace took.
     *
     * @param wallNs from the first call to the last
     * @param cpuNs of all threads
     */
    public record Pace(long wallNs, long cpuNs) {}

    /**
     * Has threads of it call the function.
     *
     * @param callsPerThread in all
     * @param perThreadAndSecond a multiple of 1000; 0 = as fast as they can
     */
    public Pace pace(int threads, long callsPerThread, long perThreadAndSecond) throws IOException {
        String[] answer = running.ask("pace " + threads + " " + callsPerThread + " " + perThreadAndSecond)
                .split(" ");
        return new Pace(Long.parseLong(answer[0]), Long.parseLong(answer[1]));
    }

    /** Has it call as {@link #pace} does, and does not wait for the end, nor can anything be asked afterwards. */
    void startPace(int threads, long callsPerThread, long perThreadAndSecond) throws IOException {
        running.send("pace " + threads + " " + callsPerThread + " " + perThreadAndSecond);
    }

    @Override
    public void close() throws IOException {
        running.close();
    }
}
