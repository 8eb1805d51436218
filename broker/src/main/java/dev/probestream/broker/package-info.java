/** One Kafka node on loopback, in this process. Its dependencies are on no other command's class path. */
@NullMarked
package dev.probestream.broker;

import org.jspecify.annotations.NullMarked;
