/** Options that several commands share, and the converters of their values. */
@NullMarked
package dev.probestream.cli.options;

import org.jspecify.annotations.NullMarked;
