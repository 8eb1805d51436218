/** Tests of the embedded broker: real ones, on free ports. */
@NullMarked
package dev.probestream.cli.broker;

import org.jspecify.annotations.NullMarked;
