/** Tests of the connection to Node's inspector, against a peer that ends it. */
@NullMarked
package dev.probestream.cli.nodetrace;

import org.jspecify.annotations.NullMarked;
