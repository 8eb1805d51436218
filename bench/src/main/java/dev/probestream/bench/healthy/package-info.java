/**
 * Whether the report accuses healthy applications: servers of the frameworks and clients that npm's users use most are put under load and
 * recorded, and the findings of their reports are counted.
 */
@NullMarked
package dev.probestream.bench.healthy;

import org.jspecify.annotations.NullMarked;
