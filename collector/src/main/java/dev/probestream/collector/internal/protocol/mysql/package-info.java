/** The protocol of MySQL and MariaDB, as a client speaks it. */
@NullMarked
package dev.probestream.collector.internal.protocol.mysql;

import org.jspecify.annotations.NullMarked;
