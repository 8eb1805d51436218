@NullMarked
package dev.probestream.cli.hist;

import org.jspecify.annotations.NullMarked;
