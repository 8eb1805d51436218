package dev.probestream.sink;

import dev.probestream.sink.finish.FaultPoints;
import dev.probestream.sink.finish.FileMaker;
import dev.probestream.sink.metadata.MetadataStore;
import dev.probestream.sink.metadata.MetadataTopic;
import dev.probestream.sink.position.SinkFolder;
import dev.probestream.sink.spool.SpoolFolder;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.consumer.CloseOptions;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.jspecify.annotations.Nullable;

/** One instance of a sink: reads events from Kafka and writes files that hold each event exactly once. */
public final class Sink implements AutoCloseable {
    /** Bounds the time to close if the broker does not answer. */
    private static final Duration CLOSE = Duration.ofSeconds(2);

    /** What was opened, to be closed in reverse order. */
    private final Deque<AutoCloseable> opened = new ArrayDeque<>();

    private final SinkRequest request;
    private final SinkListener listener;
    private @Nullable SinkParts parts;

    private Sink(SinkRequest request, SinkListener listener) {
        this.request = request;
        this.listener = listener;
    }

    /**
     * Fails as {@link #open} and the start of {@link #run} do if the folder or a Kafka property cannot be used, before a
     * broker is waited for. Creates the folder.
     *
     * @throws SinkException with the reason
     */
    public static void check(SinkRequest request) throws SinkException {
        try (SinkFolder folder =
                SinkFolder.open(request.folder(), request.topics().events())) {
            requireUsable(request, folder);
            folder.check(content(request));
            new KafkaSettings(request).check();
        } catch (IOException | RuntimeException e) {
            throw failed("cannot open a sink in " + request.folder(), e);
        }
    }

    /**
     * Prepares the folder and the Kafka clients; does not connect yet.
     *
     * @throws SinkException if the folder cannot be used, or a Kafka property is wrong
     */
    public static Sink open(SinkRequest request, SinkListener listener) throws SinkException {
        return open(request, listener, FaultPoints.NONE);
    }

    /** As above; {@code faultPoints} may throw to end the sink as abruptly as a kill. */
    static Sink open(SinkRequest request, SinkListener listener, FaultPoints faultPoints) throws SinkException {
        Sink sink = new Sink(request, listener);
        try {
            sink.parts = sink.assemble(faultPoints);
            return sink;
        } catch (IOException | RuntimeException e) {
            try (sink) {
                throw failed("cannot open a sink in " + request.folder(), e);
            }
        }
    }

    private SinkParts assemble(FaultPoints faultPoints) throws IOException, SinkException {
        SinkFolder folder =
                keep(SinkFolder.open(request.folder(), request.topics().events()));
        requireUsable(request, folder);
        KafkaSettings settings = new KafkaSettings(request);
        Path own = folder.instanceFolder();
        WaitReports waits = new WaitReports(listener, request.waitLimit());
        Counts counts = new Counts();
        KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(settings.events());
        keep(() -> consumer.close(CloseOptions.timeout(CLOSE)));
        Admin admin = Admin.create(settings.admin());
        keep(() -> admin.close(CLOSE));
        String address = request.kafka().getOrDefault("bootstrap.servers", "");
        TopicWatch watch = new TopicWatch(admin, request.topics(), address, waits);
        MetadataTopic metadata = keep(MetadataTopic.open(
                request.topics().metadata(),
                settings.metadata(),
                request.framing(),
                own.resolve("metadata"),
                keep(folder.holdMetadataFolder()).path(),
                unreadableMetadata(listener)));
        LoadingMetadata loading = new LoadingMetadata(metadata, watch, waits);
        GroupFolder groupFolder = new GroupFolder(request, consumer, folder, waits);
        Assignment assignment = new Assignment(
                request,
                watch,
                groupFolder,
                consumer,
                folder,
                SpoolFolder.create(own.resolve("spool")),
                new WantedEvents(request, metadata.store()),
                loading,
                listener,
                waits,
                counts);
        keep(assignment::releaseAll);
        FileMaker files = new FileMaker(
                request.format(), request.topics().events(), request.folder(), own.resolve("stage"), faultPoints);
        return new SinkParts(
                request,
                listener,
                folder,
                groupFolder,
                consumer,
                metadata,
                loading,
                assignment,
                files,
                watch,
                waits,
                counts,
                faultPoints);
    }

    private static void requireUsable(SinkRequest request, SinkFolder folder) throws SinkException {
        if (request.mode() == SinkRequest.Mode.WINDOW && folder.isClaimed()) {
            throw new SinkException(
                    "cannot write a time range into " + request.folder()
                            + ": a sink has already written there; name an empty folder",
                    null);
        }
    }

    private static MetadataStore.UnreadableMessages unreadableMetadata(SinkListener listener) {
        return new MetadataStore.UnreadableMessages() {
            private boolean isReported;

            @Override
            public void unreadable(long offset, String reason) {
                listener.unreadableMetadata(offset, reason, !isReported);
                isReported = true;
            }
        };
    }

    private <T extends AutoCloseable> T keep(T resource) {
        opened.push(resource);
        return resource;
    }

    /**
     * Runs on the calling thread until {@code stopped} returns true or the mode's end is reached. {@code stopped} is
     * called several times a second, also during a conversion. Must be called once.
     *
     * @throws SinkException if the sink fails; the folder is then as after a kill, and a restart continues from it
     */
    public SinkOutcome run(BooleanSupplier stopped) throws SinkException {
        SinkParts running = parts;
        if (running == null) {
            throw new IllegalStateException("the sink is closed");
        }
        try {
            Optional<TopicWatch.Topic> topic = running.watch().await(stopped);
            if (topic.isPresent()) {
                running.folder().claim(content(request), topic.get().id());
                new SinkLoop(running, stopped).run(topic.get());
            }
            return running.counts().outcome(running.assignment().releaseAll());
        } catch (IOException | KafkaException e) {
            throw failed("the sink in " + request.folder() + " failed", e);
        }
    }

    private static String content(SinkRequest request) {
        String format = request.format().name().toLowerCase(Locale.ROOT);
        return request.mode() == SinkRequest.Mode.WINDOW ? format + " of a window" : format;
    }

    private static SinkException failed(String what, Exception cause) {
        Throwable reason = cause instanceof KafkaException && cause.getCause() != null ? cause.getCause() : cause;
        return new SinkException(what + ": " + words(reason), cause);
    }

    /** If the JDK has a class for the reason, the message of an exception of the file system is only the path. */
    private static String words(Throwable reason) {
        if (reason instanceof FileAlreadyExistsException existing) {
            return existing.getFile() + " is a file, not a folder; name another folder";
        }
        if (reason instanceof AccessDeniedException denied) {
            return "no permission to write " + denied.getFile() + "; name another folder";
        }
        if (reason instanceof NoSuchFileException missing) {
            return missing.getFile() + " does not exist and cannot be created; name another folder";
        }
        String message = reason.getMessage();
        return message == null ? reason.toString() : message;
    }

    /** Releases locks and clients, and removes this instance's temporary files. */
    @Override
    public void close() throws SinkException {
        parts = null;
        Exception failure = null;
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception e) {
                if (failure == null) {
                    failure = e;
                } else {
                    failure.addSuppressed(e);
                }
            }
        }
        if (failure != null) {
            throw failed("cannot close the sink in " + request.folder(), failure);
        }
    }
}
