/** The names of errors. Numbers come in, names go out; nothing else is imported. */
@NullMarked
package dev.probestream.convert.errno;

import org.jspecify.annotations.NullMarked;
