/** Tests of what is made of the hits of a loop. */
@NullMarked
package dev.probestream.cli.loop;

import org.jspecify.annotations.NullMarked;
