package dev.probestream.collector.publish;

import dev.probestream.schema.EventEncoder;
import dev.probestream.schema.recording.RecordingException;
import dev.probestream.schema.recording.RecordingWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.avro.specific.SpecificRecord;

/** Publishes into one local .avro file. */
public final class FilePublisher implements EventPublisher {
    private final Path file;
    private final RecordingWriter writer;

    private FilePublisher(Path file, RecordingWriter writer) {
        this.file = file;
        this.writer = writer;
    }

    /**
     * Creates the file, or truncates it if it exists.
     *
     * @param file its path; its mode becomes 0600
     * @return the publisher; the caller closes it
     * @throws PublishException if the file cannot be created
     */
    public static FilePublisher create(Path file) {
        try {
            return new FilePublisher(file, RecordingWriter.create(file));
        } catch (RecordingException e) {
            throw new PublishException(e);
        }
    }

    @Override
    public void publish(EventEncoder event) {
        try {
            writer.append(event);
        } catch (RecordingException e) {
            throw new PublishException(e);
        }
    }

    @Override
    public void publish(SpecificRecord metadata) {
        try {
            writer.append(metadata);
        } catch (RecordingException e) {
            throw new PublishException(e);
        }
    }

    @Override
    public boolean takesKeyframes() {
        return true;
    }

    @Override
    public void flush() {
        try {
            writer.flush();
        } catch (RecordingException e) {
            throw new PublishException(e);
        }
    }

    @Override
    public void complete() {
        flush();
    }

    @Override
    public long publishedBytes() {
        try {
            return Files.size(file);
        } catch (IOException e) {
            throw new UncheckedIOException("read the size of " + file, e);
        }
    }

    @Override
    public void close() {
        try {
            writer.close();
        } catch (RecordingException e) {
            throw new PublishException(e);
        }
    }
}
