/** The version of what Probestream writes, in files and topics, and the refusal of what another one wrote. */
@NullMarked
package dev.probestream.schema.format;

import org.jspecify.annotations.NullMarked;
