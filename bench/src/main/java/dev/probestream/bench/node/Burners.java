package dev.probestream.bench.node;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Processes that take all the CPU time they get. */
public final class Burners implements AutoCloseable {
    private final List<Process> processes = new ArrayList<>();

    /** Starts so many; they run until they are closed. */
    public static Burners start(int count) throws IOException {
        Burners burners = new Burners();
        try {
            for (int i = 0; i < count; i++) {
                burners.processes.add(new ProcessBuilder("sh", "-c", "while :; do :; done").start());
            }
            return burners;
        } catch (IOException e) {
            burners.close();
            throw e;
        }
    }

    @Override
    public void close() {
        processes.forEach(Process::destroyForcibly);
    }
}
