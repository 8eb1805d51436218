/**
 * What a function of JavaScript is called and where it stands. In: the tagged pointer of a SharedFunctionInfo. Out: its
 * name, script and position as V8 itself prints them, or nothing where the memory does not hold what it should.
 */
@NullMarked
package dev.probestream.collector.internal.v8.function;

import org.jspecify.annotations.NullMarked;
