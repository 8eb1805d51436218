/**
 * What this process may do: /proc/self/status comes in; which capabilities recording needs and lacks goes out.
 *
 * <p>Must not import: anything of Probestream.
 */
@NullMarked
package dev.probestream.cli.privilege;

import org.jspecify.annotations.NullMarked;
