/**
 * Where a client's request comes from and where it goes: the function that asked for it, and the name of the host.
 *
 * <p>Comes in: lookups of names, stacks. Goes out: texts. Knows no events and no requests.
 */
@NullMarked
package dev.probestream.convert.request.origin;

import org.jspecify.annotations.NullMarked;
