/** Rules about what holds a process back from outside: too few CPUs, limits of its control group, memory, disks. */
@NullMarked
package dev.probestream.query.report.analysis.rule.machine;

import org.jspecify.annotations.NullMarked;
