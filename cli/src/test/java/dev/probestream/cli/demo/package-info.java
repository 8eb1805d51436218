/** The sample server under its load, on the Node.js that is installed, and the table of a recording made by hand. */
@NullMarked
package dev.probestream.cli.demo;

import org.jspecify.annotations.NullMarked;
