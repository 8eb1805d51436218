/** What Prometheus gets, scraped and read as Prometheus would. */
@NullMarked
package dev.probestream.cli.metrics;

import org.jspecify.annotations.NullMarked;
