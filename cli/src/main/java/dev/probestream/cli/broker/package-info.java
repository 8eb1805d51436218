/**
 * Kafka inside this process: a data folder and a port come in, a broker on the loopback address runs until it is closed.
 * For the machine at hand, for trying things out, for tests; a fleet has a cluster of its own. Must not import: anything
 * else of Probestream; the only package that knows Kafka's server.
 */
@NullMarked
package dev.probestream.cli.broker;

import org.jspecify.annotations.NullMarked;
