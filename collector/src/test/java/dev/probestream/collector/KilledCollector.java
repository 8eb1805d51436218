package dev.probestream.collector;

import java.nio.file.Path;

/** Records a process until it is killed: what is left behind then is the test's question. */
final class KilledCollector {
    private KilledCollector() {}

    public static void main(String[] arguments) throws Exception {
        SmallRecording.ofProcess(
                Path.of(arguments[0]), Integer.parseInt(arguments[1]), () -> System.in.read(), arguments[2]);
    }
}
