/**
 * Runs one Kafka node on loopback, in this process. Only the commands that start a broker have this module on their
 * class path.
 */
@NullMarked
package dev.probestream.broker;

import org.jspecify.annotations.NullMarked;
