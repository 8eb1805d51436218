/**
 * Measures what the budgets of Probestream promise: the house's own public classes and foreign peers come in, a table of
 * medians and ratios goes out. Every number stands beside one of a peer or a limit that was measured in the same run,
 * because absolute times of a shared machine mean little.
 *
 * <p>Nothing in the house may import this package.
 */
@NullMarked
package dev.probestream.bench;

import org.jspecify.annotations.NullMarked;
