/**
 * What the live commands ({@code trace}, {@code http}, {@code loop}) share: the run, the lines, the output that may
 * block.
 */
@NullMarked
package dev.probestream.cli.live;

import org.jspecify.annotations.NullMarked;
