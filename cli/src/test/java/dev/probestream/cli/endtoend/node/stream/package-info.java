/** Which stream of libuv, and so which connection, a hit is of. */
@NullMarked
package dev.probestream.cli.endtoend.node.stream;

import org.jspecify.annotations.NullMarked;
