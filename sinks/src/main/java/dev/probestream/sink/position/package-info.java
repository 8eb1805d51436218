/**
 * What the folder knows: whose it is, what its finished files hold of a partition, and who may write for that partition.
 * In: a folder; out: positions to read on from, and a folder without what a crash left behind them.
 */
@NullMarked
package dev.probestream.sink.position;

import org.jspecify.annotations.NullMarked;
