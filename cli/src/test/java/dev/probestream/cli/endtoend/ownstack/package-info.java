/**
 * Recorded JavaScript stacks beside V8's own text of the same stacks ({@code Error.stack}), frame by frame: an application in
 * testdata/node/ownstack takes the text at each hit.
 */
@NullMarked
package dev.probestream.cli.endtoend.ownstack;

import org.jspecify.annotations.NullMarked;
