/**
 * Whether the report accuses healthy applications: servers of npm's most used frameworks and clients are put under load
 * and recorded, and the findings of their reports are counted.
 */
@NullMarked
package dev.probestream.bench.healthy;

import org.jspecify.annotations.NullMarked;
