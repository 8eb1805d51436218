/** The processes to be probed: found by pid, name or cgroup, or started; their files, threads and root folder. */
@NullMarked
package dev.probestream.collector.process;

import org.jspecify.annotations.NullMarked;
