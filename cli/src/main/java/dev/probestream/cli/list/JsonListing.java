package dev.probestream.cli.list;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.io.SerializedString;
import dev.probestream.bpf.elf.ElfSymbol;
import dev.probestream.bpf.tracefs.TracepointField;
import dev.probestream.bpf.tracefs.TracepointFormat;
import dev.probestream.bpf.usdt.UsdtArgument;
import dev.probestream.bpf.usdt.UsdtNote;
import dev.probestream.bpf.usdt.UsdtOperand;
import dev.probestream.collector.catalog.CatalogFile;
import dev.probestream.collector.catalog.CatalogReader;
import dev.probestream.collector.catalog.ProbeSpelling;
import dev.probestream.collector.catalog.UsdtProbe;
import dev.probestream.collector.probe.provider.KnownArgument;
import java.io.IOException;
import java.io.Writer;
import java.util.function.BooleanSupplier;

/**
 * One JSON object per line and probe; addresses and offsets are numbers. All have {@code kind} and {@code spec}; then, by
 * kind:
 *
 * <pre>
 *   usdt            file provider name sites[virtualAddress fileOffset base semaphore semaphoreFileOffset argumentText
 *                   arguments[text sizeBytes signed place constant unreadable name type]]
 *   function        file name virtualAddress fileOffset sizeBytes local cxxName
 *   tracepoint      category name fields[name type offset sizeBytes signed elements]
 *   rawtracepoint   name
 *   kernelfunction  name
 * </pre>
 *
 * Fields that do not apply are left out: semaphore, name and type of an unknown argument, cxxName of a C function.
 */
final class JsonListing implements CatalogReader {
    private final JsonGenerator json;

    /** The caller owns the writer and flushes it after {@link #finish}. */
    public JsonListing(Writer out) throws IOException {
        this.json = new JsonFactory()
                .disable(JsonGenerator.Feature.AUTO_CLOSE_TARGET)
                .createGenerator(out)
                .disable(JsonGenerator.Feature.FLUSH_PASSED_TO_STREAM)
                .setRootValueSeparator(new SerializedString(""));
    }

    @Override
    public void file(CatalogFile file) {
        // Every object names its file.
    }

    @Override
    public void usdtProbe(UsdtProbe probe) throws IOException {
        start("usdt", ProbeSpelling.usdt(probe));
        json.writeStringField("file", probe.file().shownPath());
        json.writeStringField("provider", probe.provider());
        json.writeStringField("name", probe.name());
        json.writeArrayFieldStart("sites");
        for (UsdtNote site : probe.sites()) {
            writeSite(site, probe);
        }
        json.writeEndArray();
        end();
    }

    @Override
    public void function(CatalogFile file, ElfSymbol function, long fileOffset, BooleanSupplier isSingleStepped)
            throws IOException {
        start("function", ProbeSpelling.function(file, function));
        json.writeStringField("file", file.shownPath());
        json.writeStringField("name", function.name());
        json.writeNumberField("virtualAddress", function.virtualAddress());
        json.writeNumberField("fileOffset", fileOffset);
        json.writeNumberField("sizeBytes", function.sizeBytes());
        json.writeBooleanField("local", function.isLocal());
        json.writeBooleanField("singleStepped", isSingleStepped.getAsBoolean());
        String cxxName = function.qualifiedName();
        if (!cxxName.equals(function.name())) {
            json.writeStringField("cxxName", cxxName);
        }
        end();
    }

    @Override
    public void functionCount(CatalogFile file, int count) {
        // The summary has the total.
    }

    @Override
    public void tracepoint(String category, TracepointFormat format) throws IOException {
        start("tracepoint", ProbeSpelling.tracepoint(category, format.name()));
        json.writeStringField("category", category);
        json.writeStringField("name", format.name());
        json.writeArrayFieldStart("fields");
        for (TracepointField field : format.fields()) {
            json.writeStartObject();
            json.writeStringField("name", field.name());
            json.writeStringField("type", field.declaredType());
            json.writeNumberField("offset", field.offsetBytes());
            json.writeNumberField("sizeBytes", field.sizeBytes());
            json.writeBooleanField("signed", field.isSigned());
            json.writeNumberField("elements", field.elementCount());
            json.writeEndObject();
        }
        json.writeEndArray();
        end();
    }

    @Override
    public void rawTracepoint(String name) throws IOException {
        start("rawtracepoint", ProbeSpelling.rawTracepoint(name));
        json.writeStringField("name", name);
        end();
    }

    @Override
    public void kernelFunction(String name) throws IOException {
        start("kernelfunction", ProbeSpelling.kernelFunction(name));
        json.writeStringField("name", name);
        end();
    }

    @Override
    public void kernelFunctionCount(int count, String source) {
        // The summary has the source.
    }

    @Override
    public void warning(String text) {
        // CountedListing reports warnings.
    }

    /** Writes buffered output to the writer. */
    public void finish() throws IOException {
        json.close();
    }

    private void start(String kind, String spec) throws IOException {
        json.writeStartObject();
        json.writeStringField("kind", kind);
        json.writeStringField("spec", spec);
    }

    private void end() throws IOException {
        json.writeEndObject();
        json.writeRaw('\n');
    }

    private void writeSite(UsdtNote site, UsdtProbe probe) throws IOException {
        json.writeStartObject();
        json.writeNumberField("virtualAddress", site.virtualAddress());
        json.writeNumberField("fileOffset", site.fileOffset());
        json.writeNumberField("base", site.baseVirtualAddress());
        if (site.semaphoreVirtualAddress() != 0) {
            json.writeNumberField("semaphore", site.semaphoreVirtualAddress());
            json.writeNumberField("semaphoreFileOffset", site.semaphoreFileOffset());
        }
        json.writeStringField("argumentText", site.argumentText());
        json.writeArrayFieldStart("arguments");
        for (int i = 0; i < site.arguments().size(); i++) {
            json.writeStartObject();
            writeArgument(site.arguments().get(i));
            if (i < probe.known().size()) {
                writeKnown(probe.known().get(i));
            }
            json.writeEndObject();
        }
        json.writeEndArray();
        json.writeEndObject();
    }

    private void writeArgument(UsdtArgument argument) throws IOException {
        UsdtOperand operand = argument.operand();
        json.writeStringField("text", argument.text());
        json.writeNumberField("sizeBytes", argument.sizeBytes());
        json.writeBooleanField("signed", argument.isSigned());
        switch (operand.kind()) {
            case UNREADABLE -> json.writeStringField("unreadable", operand.obstacle());
            case CONSTANT -> json.writeNumberField("constant", operand.value());
            case REGISTER, MEMORY, SYMBOL, FROM_INSTRUCTION ->
                json.writeStringField("place", OperandText.place(operand));
        }
    }

    private void writeKnown(KnownArgument known) throws IOException {
        json.writeStringField("name", known.name());
        if (!known.type().isEmpty()) {
            json.writeStringField("type", known.type());
        }
    }
}
