/** The protocol of MySQL and MariaDB, as a client uses it. */
@NullMarked
package dev.probestream.collector.internal.protocol.mysql;

import org.jspecify.annotations.NullMarked;
