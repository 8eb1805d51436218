@NullMarked
package dev.probestream.cli.hist.records;

import org.jspecify.annotations.NullMarked;
