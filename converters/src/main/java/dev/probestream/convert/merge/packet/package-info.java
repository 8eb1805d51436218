/** Perfetto's protobuf as input of a merge. */
@NullMarked
package dev.probestream.convert.merge.packet;

import org.jspecify.annotations.NullMarked;
