/** Where every byte of samples, keys and map values is. Programs write by these layouts and decoders read by them. */
@NullMarked
package dev.probestream.collector.internal.program.layout;

import org.jspecify.annotations.NullMarked;
