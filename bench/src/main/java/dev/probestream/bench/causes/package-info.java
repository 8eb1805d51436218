/**
 * Whether the report names what is wrong with an application first: the applications with one thing wrong that the tests of
 * {@code cli} use are put under load on machines that are quiet and busy, recorded, and their reports judged.
 */
@NullMarked
package dev.probestream.bench.causes;

import org.jspecify.annotations.NullMarked;
