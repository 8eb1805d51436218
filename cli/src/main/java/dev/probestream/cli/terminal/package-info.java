/** What all commands share toward the user and the shell: messages, progress, number formats, signals, exit codes. */
@NullMarked
package dev.probestream.cli.terminal;

import org.jspecify.annotations.NullMarked;
