/**
 * Whether what requests do is found to be theirs: applications of frameworks and clients from npm log which request orders what, and the
 * tables of their recording are compared with that.
 */
@NullMarked
package dev.probestream.bench.truth;

import org.jspecify.annotations.NullMarked;
