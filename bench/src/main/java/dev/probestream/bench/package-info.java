/**
 * Measures Probestream against its performance budgets and prints tables of medians and ratios. Each number is compared
 * with that of another tool or a limit measured in the same run, because absolute times on a shared machine vary.
 *
 * <p>No other module may import this package.
 */
@NullMarked
package dev.probestream.bench;

import org.jspecify.annotations.NullMarked;
