/** The commands on real Node processes, of each supported version of Node. */
@NullMarked
package dev.probestream.cli.endtoend.node;

import org.jspecify.annotations.NullMarked;
