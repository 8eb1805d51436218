package dev.probestream.cli.nodetrace;

import com.fasterxml.jackson.databind.JsonNode;
import dev.probestream.schema.file.PrivateFiles;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The trace of a running Node process, started and stopped through its inspector (the domain NodeTracing). If the
 * process ends meanwhile, Node waits for connected clients: this class then reads the remaining data and disconnects.
 */
public final class InspectedNodeTrace implements NodeTrace {
    /** Data may arrive up to some milliseconds after Node has reported that tracing is complete. */
    private static final long QUIET_NS = TimeUnit.MILLISECONDS.toNanos(300);

    private static final long POLL_MS = 20;

    private final int pid;
    private final TraceCategories categories;
    private final TraceFolder folder;
    private final BufferedWriter out;
    private final List<String> warnings = new ArrayList<>();
    private @Nullable Inspector inspector;
    private @Nullable InspectorSession session;
    private @Nullable IOException failure;
    private boolean hasEvents;
    private volatile long lastDataNs;

    /** Held while the trace is ended, either by the recording or by the end of the process. */
    private final ReentrantLock ending = new ReentrantLock();

    private boolean isEnded;

    /** Creates the file. */
    public InspectedNodeTrace(int pid, TraceCategories categories) throws IOException {
        this.pid = pid;
        this.categories = categories;
        folder = TraceFolder.create();
        out = PrivateFiles.replaceAsText(folder.file(pid));
    }

    /** A warning about the inspector; print it before {@link #begin}. */
    public static String warning(int pid) {
        return "--v8-trace opens the inspector of process " + pid
                + " on a port of 127.0.0.1 until the recording ends (if"
                + " it is not open already): until then every local user can run code in that process";
    }

    @Override
    public void begin() throws IOException {
        Inspector opened = Inspector.of(pid);
        inspector = opened;
        warnings.add("the inspector of process " + pid + " on port " + opened.port()
                + (opened.isOpenedByUs() ? " is opened for the recording" : " was already open, and stays open"));
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
                // Not on this thread, which receives the responses.
                Thread leaving = new Thread(this::leave, "node-trace-" + pid);
                leaving.setDaemon(true);
                leaving.start();
            }
            default -> {
                // Events of domains that another client has enabled.
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

    /** The process has ended and waits for this client. */
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
                open.close(); // the inspector ends with the process
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
            warnings.add("the end of the trace of process " + pid + " is missing: " + e.getMessage());
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
    public List<String> warnings() {
        return List.copyOf(warnings);
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
