/** What a person or a shell sees of every command: messages, progress, numbers, signals, exit codes. */
@NullMarked
package dev.probestream.cli.terminal;

import org.jspecify.annotations.NullMarked;
