package dev.probestream.sink;

/** What a sink waits for. */
public enum SinkWait {
    /** The broker does not answer. */
    BROKER,
    /** A topic does not exist yet. */
    TOPIC,
    /** The consumer group has not stored which folder it writes to yet. */
    GROUP,
    /** Another instance, perhaps a frozen one, still holds a partition's lock. */
    LOCK,
    /** A closed segment refers to a capture, probes or stacks that have not arrived in the metadata topic yet. */
    METADATA,
    /** The disk of the folder is full. */
    DISK
}
