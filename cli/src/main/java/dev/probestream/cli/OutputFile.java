package dev.probestream.cli;

import dev.probestream.convert.ConversionException;
import dev.probestream.convert.TraceFormat;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The file that 'record' is to leave.
 *
 * @param file as the user named it
 * @param recording where the events go while recording: {@code file} itself, or a file beside it when {@code file} is a
 *     trace that is made at the end
 */
record OutputFile(Path file, Path recording) {
    private static final String RECORDING_ENDING = ".avro";

    /**
     * Fails early what would fail at the end of a long recording.
     *
     * @throws CommandException when the ending is none of ours, or the file could not be created
     */
    static OutputFile check(Path file) throws CommandException {
        String name = file.toString();
        boolean isRecording = name.endsWith(RECORDING_ENDING);
        OutputFile output = new OutputFile(file, isRecording ? file : Path.of(name + RECORDING_ENDING));
        if (!isRecording) {
            try {
                TraceFormat.of(file);
            } catch (ConversionException e) {
                throw new CommandException(
                        ExitCode.USAGE,
                        "cannot record to " + file + ": its ending must say the format: .avro (a recording), .pftrace"
                                + " (for ui.perfetto.dev), .json or .json.gz (for chrome://tracing)",
                        e);
            }
        }
        output.checkFolder();
        return output;
    }

    boolean isTrace() {
        return !file.equals(recording);
    }

    private void checkFolder() throws CommandException {
        Path parent = file.toAbsolutePath().getParent();
        Path folder = parent == null ? file.toAbsolutePath() : parent;
        if (!Files.isDirectory(folder)) {
            throw refusal("the folder " + folder + " does not exist; create it first");
        }
        if (!Files.isWritable(folder)) {
            throw refusal("no permission to write into the folder " + folder);
        }
        if (Files.isDirectory(file)) {
            throw refusal("it is a folder; name a file in it");
        }
    }

    private CommandException refusal(String reason) {
        return new CommandException(ExitCode.FAILED, "cannot record to " + file + ": " + reason);
    }
}
