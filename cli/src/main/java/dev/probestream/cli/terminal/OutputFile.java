package dev.probestream.cli.terminal;

import dev.probestream.convert.ConversionException;
import dev.probestream.convert.TraceFormat;
import java.nio.file.Path;

/**
 * The output of 'record'.
 *
 * @param file as the user named it: a file, or the folder of the tables
 * @param recording where the events go while recording: {@code file} itself, or, when {@code file} is a trace or tables
 *     that are made at the end, a file beside the trace or in the folder
 */
public record OutputFile(Path file, Path recording) {
    private static final String RECORDING_ENDING = ".avro";
    private static final String RECORDING_IN_FOLDER = "recording.avro";

    /**
     * Checks the output before the recording starts, so that a long recording does not fail at its end.
     *
     * @param output as the user wrote it; a name that ends in / is a folder, which may not exist yet
     * @throws CommandException if the extension is unknown, or the file or folder cannot be created
     */
    public static OutputFile check(String output) throws CommandException {
        Path file = Path.of(output);
        if (OutputFolder.isFolder(output)) {
            OutputFolder.check(file, "cannot record to " + output);
            return new OutputFile(file, file.resolve(RECORDING_IN_FOLDER));
        }
        boolean isRecording = output.endsWith(RECORDING_ENDING);
        if (!isRecording) {
            try {
                TraceFormat.of(file);
            } catch (ConversionException e) {
                throw new CommandException(
                        ExitCode.USAGE,
                        "cannot record to " + file + ": the extension selects the format: .avro (a recording), .pftrace"
                                + " (for ui.perfetto.dev), .json or .json.gz (for chrome://tracing), or / (a folder of"
                                + " Parquet tables)",
                        e);
            }
        }
        OutputFile checked = new OutputFile(file, isRecording ? file : Path.of(output + RECORDING_ENDING));
        WritableFile.check(file, "cannot record to " + file);
        return checked;
    }

    /** Whether the recording is converted at the end and then deleted. */
    public boolean isConverted() {
        return !file.equals(recording);
    }

    /** Whether the output is a folder of tables. */
    public boolean isFolder() {
        return recording.startsWith(file) && isConverted();
    }

    /** Creates the output folder if the output is a folder and does not exist. */
    public void createFolder() throws CommandException {
        if (isFolder()) {
            OutputFolder.create(file);
        }
    }
}
