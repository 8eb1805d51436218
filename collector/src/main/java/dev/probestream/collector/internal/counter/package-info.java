/**
 * What the kernel reports about each traced process in /proc and by netlink, once a second: CPU time, memory,
 * descriptors, connections, listen queues; and, once, which program it runs and which name servers it has. In: the ids of the processes that live. Out: values of counters, a list for
 * each reading. Must not import programs, maps or the publisher: the thread that reads the ring publishes.
 */
@NullMarked
package dev.probestream.collector.internal.counter;

import org.jspecify.annotations.NullMarked;
