package dev.probestream.cli.endtoend;

import dev.probestream.cli.endtoend.RecordedFile.RecordedEvent;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The connections of a recording of node-net or node-http: a stream's address from accept or connect to close is one. */
final class RecordedConnections {
    /** One end of a connection. */
    static final class End {
        private final boolean isAccepted;
        private String remote;
        private String local = "";
        private long readBytes;
        private long writtenBytes;
        private boolean isClosed;

        private End(boolean isAccepted, String remote) {
            this.isAccepted = isAccepted;
            this.remote = remote;
        }

        private void take(RecordedEvent event) {
            switch (event.probe().getRole().toString()) {
                case "stream.connected" -> {
                    local = text(event, "local");
                    remote = text(event, "remote");
                }
                case "stream.read" -> readBytes += Math.max(0, (Long) event.argument("bytes"));
                case "stream.write" -> writtenBytes += event.returnValue();
                default -> throw new IllegalArgumentException(event.toString());
            }
        }

        boolean isAccepted() {
            return isAccepted;
        }

        String remote() {
            return remote;
        }

        String local() {
            return local;
        }

        long readBytes() {
            return readBytes;
        }

        long writtenBytes() {
            return writtenBytes;
        }

        boolean isClosed() {
            return isClosed;
        }

        @Override
        public String toString() {
            return (isAccepted ? "accepted " : "made ") + local + " <- " + remote + ", read " + readBytes + ", written "
                    + writtenBytes + (isClosed ? "" : ", open");
        }
    }

    private final List<End> all = new ArrayList<>();
    private final Map<Object, End> open = new HashMap<>();

    RecordedConnections(RecordedFile recorded) {
        recorded.events().stream()
                .sorted(Comparator.comparingLong(RecordedEvent::timestampNs))
                .filter(event -> event.arguments().containsKey("stream"))
                .forEach(event -> take(event, event.argument("stream")));
    }

    private void take(RecordedEvent event, Object stream) {
        switch (event.probe().getRole().toString()) {
            case "stream.accept" -> {
                End accepted = new End(true, text(event, "remote"));
                accepted.local = text(event, "local");
                begin(stream, accepted);
            }
            case "stream.connect" -> begin(stream, new End(false, text(event, "remote")));
            case "stream.connected", "stream.read", "stream.write" -> {
                End end = open.get(stream);
                if (end != null) {
                    end.take(event);
                }
            }
            case "stream.close" -> {
                End closed = open.remove(stream);
                if (closed != null) {
                    closed.isClosed = true;
                }
            }
            default -> {}
        }
    }

    private void begin(Object stream, End end) {
        open.put(stream, end);
        all.add(end);
    }

    private static String text(RecordedEvent event, String name) {
        return String.valueOf(event.arguments().getOrDefault(name, ""));
    }

    /** Those that were accepted, in order. */
    List<End> accepted() {
        return all.stream().filter(End::isAccepted).toList();
    }

    /** Those that were asked for, in order. */
    List<End> made() {
        return all.stream().filter(end -> !end.isAccepted).toList();
    }
}
