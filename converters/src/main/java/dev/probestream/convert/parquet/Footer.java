package dev.probestream.convert.parquet;

/** The keys of the metadata in a file's footer. */
final class Footer {
    /** The capture's id. */
    static final String CAPTURE = "probestream.capture";

    /** Of the collector that took the capture. */
    static final String TOOL_VERSION = "probestream.tool_version";

    /** The lowest sequence among the events of the file. */
    static final String FIRST_SEQUENCE = "probestream.first_sequence";

    static final String LAST_SEQUENCE = "probestream.last_sequence";

    private Footer() {}
}
