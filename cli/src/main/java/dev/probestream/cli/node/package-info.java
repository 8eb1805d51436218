/**
 * Finds Node.js on this machine: a search path comes in, an executable and its version go out.
 *
 * <p>Must not import: anything of Probestream.
 */
@NullMarked
package dev.probestream.cli.node;

import org.jspecify.annotations.NullMarked;
