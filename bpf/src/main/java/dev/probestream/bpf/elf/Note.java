package dev.probestream.bpf.elf;

import java.nio.ByteBuffer;

/**
 * One note of a SHT_NOTE section or PT_NOTE segment.
 *
 * @param owner the note's name: {@code GNU}, {@code stapsdt}, {@code Go} ...
 * @param type whose meaning depends on the owner
 * @param description read-only, little-endian, position 0; whose meaning depends on owner and type
 * @param offsetInFile where the description starts
 */
public record Note(String owner, int type, ByteBuffer description, long offsetInFile) {}
