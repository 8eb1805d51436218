/**
 * Finds the Node.js executable in a search path, and its version.
 *
 * <p>Must not import: anything of Probestream.
 */
@NullMarked
package dev.probestream.cli.node;

import org.jspecify.annotations.NullMarked;
