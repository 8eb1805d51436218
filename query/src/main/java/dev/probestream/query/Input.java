package dev.probestream.query;

import java.nio.file.Path;

/**
 * One of the paths that were opened.
 *
 * @param ordinal from 1, in the order given
 * @param path as it was given
 * @param tables where its tables are: the path itself, or a temporary folder
 */
record Input(int ordinal, Path path, TableFolder tables) {}
