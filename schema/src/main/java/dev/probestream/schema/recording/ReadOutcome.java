package dev.probestream.schema.recording;

import java.nio.file.Path;
import java.util.List;

/**
 * What was read from a recording, and what could not be.
 *
 * @param file the recording
 * @param events how many events were delivered
 * @param otherRecords how many records of other kinds were delivered
 * @param blocks how many blocks were read, broken ones not counted
 * @param sizeBytes size of the file when the reading began
 * @param unreadBytes how many bytes behind the header were left out, because the reading began at a Keyframe
 * @param skippedBytes how many bytes of it could not be read
 * @param damageCount how many stretches could not be read
 * @param damages the first of them, at most {@value #MAX_DAMAGES}, in the order of the file
 */
public record ReadOutcome(
        Path file,
        long events,
        long otherRecords,
        long blocks,
        long sizeBytes,
        long unreadBytes,
        long skippedBytes,
        long damageCount,
        List<Damage> damages) {
    /** More damages than this are counted, but not described. */
    public static final int MAX_DAMAGES = 100;

    /** Copies the list. */
    public ReadOutcome {
        damages = List.copyOf(damages);
    }

    /** {@return whether every byte was read: the file ends with a whole block and none before it is broken} */
    public boolean isWhole() {
        return damageCount == 0;
    }

    /** {@return how many records of all kinds were read} */
    public long records() {
        return events + otherRecords;
    }

    /**
     * A stretch of a recording that could not be read.
     *
     * @param positionInFile first byte of the block that is broken
     * @param skippedBytes how many bytes of the file were passed over, counted from there
     * @param reason what is wrong, in words for a person
     */
    public record Damage(long positionInFile, long skippedBytes, String reason) {
        @Override
        public String toString() {
            return "byte " + positionInFile + ": " + reason + "; " + skippedBytes + " bytes skipped";
        }
    }
}
