/**
 * The proofs that nothing is lost and nothing comes twice: the real commands in JVMs of their own are killed, frozen and
 * starved, and afterwards the topic and the files are read by clients that are not ours and compared, event by event.
 * Moments of killing are random; nothing else here depends on a time.
 */
@NullMarked
package dev.probestream.cli.kafka.kill;

import org.jspecify.annotations.NullMarked;
