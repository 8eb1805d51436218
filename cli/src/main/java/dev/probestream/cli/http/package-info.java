/**
 * HTTP requests, live. Comes in: what a live collection of the preset node-http publishes; goes out: a line of text or
 * JSON for each request when it is over. Must not import picocli nor the commands.
 */
@NullMarked
package dev.probestream.cli.http;

import org.jspecify.annotations.NullMarked;
