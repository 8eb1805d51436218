package dev.probestream.cli.doctor;

/** How well a feature serves recording. */
public enum Status {
    /** It is there. */
    OK,
    /** Recording works, but something is left out or slower. */
    LIMITED,
    /** Recording is not possible without it. */
    MISSING
}
