package dev.probestream.convert;

import java.nio.file.Files;
import java.nio.file.Path;

/** What a recording can be turned into, selected by the suffix of the file; a folder means tables. */
public enum TraceFormat {
    /** {@code .pftrace}: for ui.perfetto.dev and trace_processor. */
    PERFETTO,
    /** {@code .json}: for chrome://tracing and everything that reads it. */
    CHROME,
    /** {@code .json.gz}: the same, compressed; both viewers open it as it is. */
    CHROME_GZIP,
    /** A folder: Parquet tables in it. */
    PARQUET;

    /**
     * The format a file of this name has, or a folder that exists.
     *
     * @throws ConversionException if the suffix is unknown, and it is not a folder
     */
    public static TraceFormat of(Path file) throws ConversionException {
        String name = file.toString();
        if (name.endsWith(".pftrace")) {
            return PERFETTO;
        }
        if (name.endsWith(".json")) {
            return CHROME;
        }
        if (name.endsWith(".json.gz")) {
            return CHROME_GZIP;
        }
        if (Files.isDirectory(file)) {
            return PARQUET;
        }
        throw new ConversionException(
                "cannot write " + file
                        + ": the suffix selects no trace format; use .pftrace (Perfetto), .json or .json.gz"
                        + " (Chrome), or name a folder (Parquet)",
                null);
    }

    /**
     * Checks the output before a long recording that ends in this file.
     *
     * @throws ConversionException if the suffix is unknown, or the folder does not exist or cannot be written to
     */
    public static void check(Path file) throws ConversionException {
        TraceFormat format = of(file);
        Path folder = format == PARQUET ? file : folderOf(file);
        if (!Files.isDirectory(folder)) {
            throw new ConversionException(
                    "cannot write " + file + ": the folder " + folder + " does not exist; create it first", null);
        }
        if (!Files.isWritable(folder)) {
            throw new ConversionException(
                    "cannot write " + file + ": no permission to write into the folder " + folder, null);
        }
        if (format != PARQUET && Files.isDirectory(file)) {
            throw new ConversionException("cannot write " + file + ": it is a folder; name a file in it", null);
        }
    }

    static Path folderOf(Path file) {
        Path parent = file.toAbsolutePath().getParent();
        return parent == null ? file.toAbsolutePath() : parent;
    }
}
