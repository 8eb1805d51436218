package dev.probestream.cli.query.prompt;

import dev.probestream.query.QueryException;
import dev.probestream.query.result.CsvWriter;
import dev.probestream.query.result.JsonLinesWriter;
import dev.probestream.query.result.ResultWriter;
import dev.probestream.query.result.TableWriter;
import java.io.IOException;
import java.io.Writer;

/** The output formats of the prompt. */
enum PromptFormat {
    TABLE,
    CSV,
    JSON;

    static PromptFormat named(String name) throws QueryException {
        for (PromptFormat format : values()) {
            if (format.name().equalsIgnoreCase(name)) {
                return format;
            }
        }
        throw new QueryException("unknown format '" + name + "': expected table, csv or json");
    }

    ResultWriter writer(Writer out, int width) throws IOException {
        return switch (this) {
            case TABLE -> new TableWriter(out, width);
            case CSV -> new CsvWriter(out);
            case JSON -> new JsonLinesWriter(out);
        };
    }
}
