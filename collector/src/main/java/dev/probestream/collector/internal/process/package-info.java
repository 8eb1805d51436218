/**
 * Finds the processes to be probed by pid, name or cgroup, or starts them; gives access to their files, threads and
 * root folder.
 */
@NullMarked
package dev.probestream.collector.internal.process;

import org.jspecify.annotations.NullMarked;
