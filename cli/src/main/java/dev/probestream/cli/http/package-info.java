/**
 * The command {@code http}: prints the requests of a live collection of the preset node-http, each as a line of text or
 * JSON.
 */
@NullMarked
package dev.probestream.cli.http;

import org.jspecify.annotations.NullMarked;
