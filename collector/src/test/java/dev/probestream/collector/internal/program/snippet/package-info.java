/** Tests of the pieces that programs are made of. */
@NullMarked
package dev.probestream.collector.internal.program.snippet;

import org.jspecify.annotations.NullMarked;
