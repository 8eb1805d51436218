package dev.probestream.cli.loop;

import java.util.OptionalLong;

/**
 * What is shown of the loops.
 *
 * @param intervalNs how often a table is shown; of no meaning when slow turns are
 * @param tables so many, then the end; 0 = no limit
 * @param slowNs when present, each turn that took at least so long is shown instead, and one table at the end
 * @param isJson whether all of it is JSON
 * @param isTerminal whether a table takes the place of the one before
 */
public record LoopOptions(long intervalNs, int tables, OptionalLong slowNs, boolean isJson, boolean isTerminal) {}
