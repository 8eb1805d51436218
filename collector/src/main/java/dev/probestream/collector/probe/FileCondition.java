package dev.probestream.collector.probe;

import java.util.Optional;

/**
 * For which files a probe of a preset is meant: structures differ between versions of a program, and functions tell the
 * versions apart. Function names are those of the file's symbols, as in a spec without a glob.
 *
 * @param requires a function that the probed file must have
 * @param lacks a function that it must not have
 */
public record FileCondition(Optional<String> requires, Optional<String> lacks) {
    /** Any file. */
    public static final FileCondition NONE = new FileCondition(Optional.empty(), Optional.empty());

    /** Whether every file fulfils it. */
    public boolean isNone() {
        return equals(NONE);
    }
}
