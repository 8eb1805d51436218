/** The rules of the house, checked over the classes of all modules. */
@NullMarked
package dev.probestream.cli.architecture;

import org.jspecify.annotations.NullMarked;
