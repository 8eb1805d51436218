package dev.probestream.sink;

import dev.probestream.broker.BrokerRegistry;
import dev.probestream.schema.message.Topics;
import dev.probestream.sink.finish.SinkFormat;
import java.io.File;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A sink in a process of its own, which a test can freeze or kill. */
final class SinkChild {
    private SinkChild() {}

    /** Arguments: the broker's address, the folder. Until SIGTERM. */
    public static void main(String[] arguments) throws Exception {
        int port = Integer.parseInt(arguments[0].substring(arguments[0].indexOf(':') + 1));
        Map<String, String> kafka = BrokerRegistry.clientProperties(port).orElseThrow();
        kafka.putAll(Map.of("session.timeout.ms", "6000", "heartbeat.interval.ms", "500"));
        SinkRequest request =
                SinkRequest.follow(SinkFormat.PARQUET, Path.of(arguments[1]), kafka, "group", SinkTest.SECONDS);
        boolean[] isStopped = new boolean[1];
        Thread main = Thread.currentThread();
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            isStopped[0] = true;
            try {
                main.join(10_000);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        try (Sink sink = Sink.open(request, new SinkListener() {})) {
            sink.run(() -> isStopped[0]);
        }
    }

    static Process start(Map<String, String> kafka, Path out, Path log) throws IOException {
        return start(kafka, out, log, "-Xmx256m");
    }

    static Process start(Map<String, String> kafka, Path out, Path log, String heap) throws IOException {
        return new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        heap,
                        "-Dorg.slf4j.simpleLogger.defaultLogLevel=off",
                        SinkChild.class.getName(),
                        kafka.getOrDefault("bootstrap.servers", ""),
                        out.toString())
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.to(new File(log.toString())))
                .start();
    }

    /** Until it has the lock of a partition: what was assigned to it is only locked when it next reads. */
    static void awaitLocked(Path out, Process child) throws Exception {
        Path folder = out.resolve(".probestream");
        long endNanos = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (!Files.isDirectory(folder) || !hasLock(folder, "process " + child.pid() + " ")) {
            if (System.nanoTime() > endNanos) {
                throw new AssertionError("the child has locked no partition in " + folder);
            }
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private static boolean hasLock(Path folder, String owner) throws IOException {
        try (DirectoryStream<Path> locks = Files.newDirectoryStream(folder, Topics.EVENTS + "-*.lock")) {
            for (Path lock : locks) {
                if (Files.readString(lock).startsWith(owner)) {
                    return true;
                }
            }
            return false;
        }
    }
}
