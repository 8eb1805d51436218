/**
 * Names and types for the arguments of USDT providers that are known. Comes in: a provider and a probe; goes out: {@link
 * dev.probestream.collector.probe.provider.KnownArgument}s. Reads nothing but the YAML resources of the providers.
 */
@NullMarked
package dev.probestream.collector.probe.provider;

import org.jspecify.annotations.NullMarked;
