package dev.probestream.schema.recording;

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
