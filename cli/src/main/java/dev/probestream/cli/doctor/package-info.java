/**
 * Looks at the machine: /proc, /sys and the kernel's answers come in, a {@link dev.probestream.cli.doctor.DoctorReport} of
 * findings goes out. Nothing is changed on the machine.
 *
 * <p>Must not import: {@code dev.probestream.convert}, {@code dev.probestream.schema}.
 */
@NullMarked
package dev.probestream.cli.doctor;

import org.jspecify.annotations.NullMarked;
