package dev.probestream.query.result;

/**
 * A column of a result.
 *
 * @param isNumber of any type of numbers
 */
public record ResultColumn(String name, boolean isNumber) {}
