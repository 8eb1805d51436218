/** The door through which tests of the whole sink reach its steps. */
@NullMarked
package dev.probestream.sink;

import org.jspecify.annotations.NullMarked;
