@NullMarked
package dev.probestream.collector.histogram;

import org.jspecify.annotations.NullMarked;
