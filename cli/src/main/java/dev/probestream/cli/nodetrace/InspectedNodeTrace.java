package dev.probestream.cli.nodetrace;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The trace of a running Node process, switched on and off over its inspector (the domain NodeTracing). The process may
 * end meanwhile: Node then waits for those who are connected, so we hear of it, take what it has and leave.
 */
public final class InspectedNodeTrace implements NodeTrace {
    /** Data may come after Node has said that tracing is complete; it is a matter of milliseconds. */
    private static final long QUIET_NS = TimeUnit.MILLISECONDS.toNanos(300);

    private static final long POLL_MS = 20;

    private final int pid;
    private final TraceCategories categories;
    private final TraceFolder folder;
    private final BufferedWriter out;
    private final List<String> notices = new ArrayList<>();
    private @Nullable Inspector inspector;
    private @Nullable InspectorSession session;
    private @Nullable IOException failure;
    private boolean hasEvents;
    private volatile long lastDataNs;

    /** Held while the trace is ended, by whoever comes first: the recording or the process. */
    private final ReentrantLock ending = new ReentrantLock();

    private boolean isEnded;

    /** Makes the file. */
    public InspectedNodeTrace(int pid, TraceCategories categories) throws IOException {
        this.pid = pid;
        this.categories = categories;
        folder = TraceFolder.create();
        out = Files.newBufferedWriter(folder.file(pid));
    }

    /** What is about to be done to the process, for those who must know; call it before {@link #begin}. */
    public static String warning(int pid) {
        return "--v8-trace opens the inspector of process " + pid
                + " on a port of 127.0.0.1 until the recording ends (if"
                + " it is not open already): meanwhile every local user can run code in that process";
    }

    @Override
    public void begin() throws IOException {
        Inspector opened = Inspector.of(pid);
        inspector = opened;
        notices.add("the inspector of process " + pid + " on port " + opened.port()
                + (opened.isOpenedByUs() ? " is opened for the recording" : " was open already, and stays so"));
        InspectorSession connected = opened.connect();
        session = connected;
        connected.onEvent(this::receive);
        connected.send("NodeRuntime.notifyWhenWaitingForDisconnect", Map.of("enabled", true));
        connected.send("NodeTracing.start", InspectorSession.categories(categories));
        write("{\"traceEvents\":[\n");
    }

    private void receive(JsonNode event) {
        switch (event.path("method").asText()) {
            case "NodeTracing.dataCollected" -> {
                lastDataNs = System.nanoTime();
                for (JsonNode traced : event.path("params").path("value")) {
                    write((hasEvents ? ",\n" : "") + traced);
                    hasEvents = true;
                }
            }
            case "NodeRuntime.waitingForDisconnect" -> {
                // Not on this thread: it must be free to receive the answers.
                Thread leaving = new Thread(this::leave, "node-trace-" + pid);
                leaving.setDaemon(true);
                leaving.start();
            }
            default -> {
                // Events of domains that somebody else switched on.
            }
        }
    }

    private synchronized void write(String text) {
        try {
            out.write(text);
        } catch (IOException e) {
            failure = e;
        }
    }

    /** The process is at its end and waits for us. */
    private void leave() {
        try {
            stop(true);
        } catch (IOException e) {
            failure = e;
        }
    }

    @Override
    public void end() throws IOException {
        stop(false);
        IOException failed = failure;
        if (failed != null) {
            throw new NodeTraceException(
                    "cannot keep the trace of process " + pid + ": " + failed.getMessage(), failed);
        }
    }

    private void stop(boolean isProcessEnding) throws IOException {
        ending.lock();
        try {
            InspectorSession open = session;
            if (isEnded || open == null) {
                return;
            }
            isEnded = true;
            takeRest(open);
            synchronized (this) {
                out.write("\n]}\n");
                out.flush();
            }
            if (isProcessEnding) {
                open.close(); // the inspector goes with the process
                inspector = null;
            } else {
                closeInspector();
            }
        } finally {
            ending.unlock();
        }
    }

    private void takeRest(InspectorSession open) {
        try {
            if (!open.isClosed()) {
                open.send("NodeTracing.stop", Map.of());
                open.send("Runtime.evaluate", Map.of("expression", "0"));
                awaitQuiet();
            }
        } catch (IOException e) {
            notices.add("the end of the trace of process " + pid + " is missing: " + e.getMessage());
        }
    }

    private void awaitQuiet() {
        lastDataNs = Math.max(lastDataNs, System.nanoTime());
        while (System.nanoTime() - lastDataNs < QUIET_NS) {
            try {
                TimeUnit.MILLISECONDS.sleep(POLL_MS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                return;
            }
        }
    }

    private void closeInspector() throws IOException {
        Inspector open = inspector;
        inspector = null;
        if (open != null) {
            open.close();
        }
    }

    @Override
    public List<Path> files() throws IOException {
        return hasEvents ? folder.files() : List.of();
    }

    @Override
    public List<String> notices() {
        return List.copyOf(notices);
    }

    @Override
    public void close() throws IOException {
        try {
            closeInspector();
        } finally {
            out.close();
            folder.delete();
        }
    }
}
