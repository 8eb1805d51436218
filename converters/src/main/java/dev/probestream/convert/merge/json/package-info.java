/** Chrome's Trace Event Format as input of a merge. */
@NullMarked
package dev.probestream.convert.merge.json;

import org.jspecify.annotations.NullMarked;
