package dev.probestream.convert.timeline;

/** Counts the processes and threads of all captures. */
final class TrackNumbers {
    private int processes;
    private int threads;

    int nextProcess() {
        return processes++;
    }

    int nextThread() {
        return threads++;
    }

    int processes() {
        return processes;
    }

    int threads() {
        return threads;
    }
}
