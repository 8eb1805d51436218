package dev.probestream.cli.report;

import dev.probestream.cli.terminal.CommandException;
import dev.probestream.cli.terminal.ExitCode;
import dev.probestream.cli.terminal.WritableFile;
import dev.probestream.query.report.ReportContents;
import dev.probestream.query.report.page.ReportPage;
import dev.probestream.schema.file.PrivateFiles;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/** The file of a page, which appears, or replaces an existing one, when it is complete. */
public final class PageFile {
    private final Path page;

    /**
     * A file that is not written yet.
     *
     * @throws CommandException if its name is not that of a page, or it cannot be written
     */
    public PageFile(Path page) throws CommandException {
        this.page = page;
        if (!page.toString().matches(".*\\.html?")) {
            throw new CommandException(
                    ExitCode.USAGE, "cannot write " + page + ": the page is HTML; its name must end in .html");
        }
        WritableFile.check(page, "cannot write " + page);
    }

    /** Writes the page. */
    public void write(ReportContents contents) throws IOException {
        Path part = page.resolveSibling(
                "." + page.getFileName() + "." + ProcessHandle.current().pid() + ".part");
        try {
            try (BufferedWriter writer = PrivateFiles.replaceAsText(part)) {
                ReportPage.write(contents, writer);
            }
            Files.move(part, page, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        } finally {
            Files.deleteIfExists(part);
        }
    }

    /** Where it is. */
    public Path path() {
        return page;
    }
}
