/** What the doctor finds on machines that are folders of small files. */
@NullMarked
package dev.probestream.cli.doctor;

import org.jspecify.annotations.NullMarked;
