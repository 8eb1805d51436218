/**
 * Separate debug files: which file has the symbols that were stripped off an ELF file. In: an open ELF file and the
 * file system that its process sees. Out: the open debug file.
 */
@NullMarked
package dev.probestream.collector.internal.debugfile;

import org.jspecify.annotations.NullMarked;
