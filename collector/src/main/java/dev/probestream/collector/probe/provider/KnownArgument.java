package dev.probestream.collector.probe.provider;

/**
 * What is known of one argument of a USDT probe beyond the file's note, which has neither names nor texts.
 *
 * @param name as it may stand in a spec: {@code url}
 * @param type as it may stand in a spec: {@code str}, {@code str[arg2]}; "" = a number of the size and sign that the
 *     note says
 */
public record KnownArgument(String name, String type) {}
