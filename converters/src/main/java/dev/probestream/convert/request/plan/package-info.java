/** What the hits of each probe mean for requests: their role, and which argument holds what. */
@NullMarked
package dev.probestream.convert.request.plan;

import org.jspecify.annotations.NullMarked;
