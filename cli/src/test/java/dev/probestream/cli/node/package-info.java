/** Node executables, stood in for by scripts. */
@NullMarked
package dev.probestream.cli.node;

import org.jspecify.annotations.NullMarked;
