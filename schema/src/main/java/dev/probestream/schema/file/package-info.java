/**
 * Creates every file and folder that Probestream writes, so that only its owner can read it. In: a path; out: an open file,
 * or a folder. Must not depend on what is written.
 */
@NullMarked
package dev.probestream.schema.file;

import org.jspecify.annotations.NullMarked;
