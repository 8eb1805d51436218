/**
 * The command {@code doctor}: checks /proc, /sys and the kernel, and prints a {@link
 * dev.probestream.cli.doctor.DoctorReport}. It changes nothing on the machine.
 *
 * <p>Must not import: {@code dev.probestream.convert}, {@code dev.probestream.schema}.
 */
@NullMarked
package dev.probestream.cli.doctor;

import org.jspecify.annotations.NullMarked;
