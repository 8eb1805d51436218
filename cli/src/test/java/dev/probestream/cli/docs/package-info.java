/** Tests of the Markdown pages: README.md and docs/. */
@NullMarked
package dev.probestream.cli.docs;

import org.jspecify.annotations.NullMarked;
