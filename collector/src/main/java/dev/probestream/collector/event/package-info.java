/**
 * From samples to events. Comes in: samples of the ring buffer and what /proc and the programs know; goes out: records
 * of {@code dev.probestream.schema.record}. Must not import {@code publish}.
 */
package dev.probestream.collector.event;
