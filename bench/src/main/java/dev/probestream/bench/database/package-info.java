/** Real database servers on loopback for programs under load, started for one run and ended after it. */
@NullMarked
package dev.probestream.bench.database;

import org.jspecify.annotations.NullMarked;
