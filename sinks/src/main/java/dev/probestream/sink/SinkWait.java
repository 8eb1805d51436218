package dev.probestream.sink;

/** What a sink can be waiting for. */
public enum SinkWait {
    /** The broker does not answer. */
    BROKER,
    /** A topic does not exist yet. */
    TOPIC,
    /** Another instance, perhaps a frozen one, still has a partition's lock. */
    LOCK,
    /** A closed slice names stacks, a capture or probes that the metadata topic has not brought yet. */
    METADATA,
    /** The disk of the folder is full. */
    DISK
}
