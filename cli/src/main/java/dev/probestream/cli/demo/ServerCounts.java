package dev.probestream.cli.demo;

/**
 * What the sample server counted in its own handlers.
 *
 * @param requests requests that reached a handler, that for these counts excluded
 * @param opens files it asked the file system to open, also in vain
 * @param failedOpens those of them that failed
 */
public record ServerCounts(long requests, long opens, long failedOpens) {}
