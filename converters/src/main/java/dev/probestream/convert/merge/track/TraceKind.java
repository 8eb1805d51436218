package dev.probestream.convert.merge.track;

import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.zip.GZIPInputStream;
import java.util.zip.ZipException;

/** The format of a file that is to be merged, recognized by its first bytes. */
public enum TraceKind {
    /** Chrome's Trace Event Format. */
    JSON,
    /** Perfetto's protobuf. */
    PERFETTO;

    private static final int HEAD_BYTES = 4096;
    private static final int BUFFER_BYTES = 1 << 16;
    private static final int GZIP_MAGIC_0 = 0x1F;
    private static final int GZIP_MAGIC_1 = 0x8B;

    /** Field 1 of a message, of variable length: a packet of a Trace. */
    private static final int PACKET_TAG = 0x0A;

    private static final Pattern JSON_HEAD = Pattern.compile(
            "(?:\u00EF\u00BB\u00BF)?\\s*(?:\\{\\s*(?:[\"}].*)?|\\[\\s*(?:[\\[{\\]].*)?)", Pattern.DOTALL);

    private record OtherFormat(String head, String what) {}

    private static final List<OtherFormat> OTHER_FORMATS = List.of(
            new OtherFormat("Obj\u0001", "an Avro file, perhaps a recording: name it as an input, without --merge"),
            new OtherFormat("\u007FELF", "an ELF program or library"),
            new OtherFormat("PAR1", "a Parquet file"),
            new OtherFormat("PK\u0003\u0004", "a zip archive: unpack it"),
            new OtherFormat("(\u00B5/\u00FD", "compressed by zstd: unpack it with 'zstd -d'"),
            new OtherFormat("PERFILE2", "a perf.data file"),
            new OtherFormat("DTiJ", "a jitdump file of --perf-prof"),
            new OtherFormat("JiTD", "a jitdump file of --perf-prof"),
            new OtherFormat("v8-version,", "a log of V8's --prof: it has no trace events"),
            new OtherFormat("SQLite format 3", "an SQLite database"));

    /** The file's bytes, unpacked if they are compressed by gzip. */
    public static InputStream open(Path file) throws IOException {
        InputStream in = new BufferedInputStream(Files.newInputStream(file), BUFFER_BYTES);
        try {
            in.mark(2);
            boolean isCompressed = in.read() == GZIP_MAGIC_0 && in.read() == GZIP_MAGIC_1;
            in.reset();
            return isCompressed ? new GZIPInputStream(in, BUFFER_BYTES) : in;
        } catch (EOFException | ZipException e) {
            in.close();
            throw new MergeFormatException(
                    file, 0, "it begins as if compressed by gzip, but cannot be unpacked: " + e.getMessage(), e);
        }
    }

    /** @throws MergeFormatException when it is neither; the message names a format that is recognized */
    public static TraceKind of(Path file) throws IOException {
        byte[] head = head(file);
        if (head.length == 0) {
            throw new MergeFormatException(file, 0, "it is empty", null);
        }
        String text = new String(head, StandardCharsets.ISO_8859_1);
        if (JSON_HEAD.matcher(text).matches()) {
            return JSON;
        }
        if (head[0] == PACKET_TAG && head.length > 1) {
            return PERFETTO;
        }
        String what = OTHER_FORMATS.stream()
                .filter(other -> text.startsWith(other.head))
                .map(OtherFormat::what)
                .findFirst()
                .orElse(isPlainText(head) ? "text that begins with " + quote(text) : "a binary file of unknown kind");
        throw new MergeFormatException(
                file, 0, "not a trace but " + what + " (Chrome's JSON and Perfetto's protobuf can be merged)", null);
    }

    private static byte[] head(Path file) throws IOException {
        try (TraceBytes in = new TraceBytes(open(file), false)) {
            return in.readNBytes(HEAD_BYTES);
        } catch (ZipException e) {
            throw new MergeFormatException(file, 0, "it cannot be unpacked: " + e.getMessage(), e);
        }
    }

    private static boolean isPlainText(byte[] head) {
        for (byte at : head) {
            if (at >= 0 && at < ' ' && at != '\n' && at != '\r' && at != '\t') {
                return false;
            }
        }
        return true;
    }

    private static String quote(String text) {
        String line = text.strip().lines().findFirst().orElse("");
        return "'" + (line.length() > 40 ? line.substring(0, 40) + "..." : line) + "'";
    }
}
