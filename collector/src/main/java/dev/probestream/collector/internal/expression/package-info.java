/**
 * The expressions that lines of bcc and bpftrace have in common, which are those of C. Comes in: the text of a line; goes
 * out: tokens, operands, and conditions and values in the syntax of probe specs. What a dialect calls its values, it reads
 * itself ({@link dev.probestream.collector.internal.expression.Operand.Reader}). Does no I/O; must not import {@code
 * collector.dialect}, whose parsers use it.
 */
@NullMarked
package dev.probestream.collector.internal.expression;

import org.jspecify.annotations.NullMarked;
