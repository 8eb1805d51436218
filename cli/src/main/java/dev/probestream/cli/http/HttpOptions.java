package dev.probestream.cli.http;

/**
 * What is printed of requests.
 *
 * @param filter which
 * @param isJson whether lines are objects of JSON
 * @param maxLines after how many lines it ends; 0 = never
 */
public record HttpOptions(HttpFilter filter, boolean isJson, long maxLines) {}
