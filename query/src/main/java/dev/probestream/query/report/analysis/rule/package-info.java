/** Rules: each looks for one kind of cause and makes findings of it. */
@NullMarked
package dev.probestream.query.report.analysis.rule;

import org.jspecify.annotations.NullMarked;
