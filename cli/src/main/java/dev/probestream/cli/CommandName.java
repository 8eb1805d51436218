package dev.probestream.cli;

import dev.probestream.cli.broker.BrokerCommand;
import dev.probestream.cli.collect.CollectCommand;
import dev.probestream.cli.convert.ConvertCommand;
import dev.probestream.cli.demo.DemoCommand;
import dev.probestream.cli.doctor.DoctorCommand;
import dev.probestream.cli.help.HelpCommand;
import dev.probestream.cli.hist.HistCommand;
import dev.probestream.cli.http.HttpCommand;
import dev.probestream.cli.incidents.IncidentsCommand;
import dev.probestream.cli.list.ListCommand;
import dev.probestream.cli.loop.LoopCommand;
import dev.probestream.cli.open.OpenCommand;
import dev.probestream.cli.query.QueryCommand;
import dev.probestream.cli.record.RecordCommand;
import dev.probestream.cli.report.ReportCommand;
import dev.probestream.cli.sink.SinkCommand;
import dev.probestream.cli.trace.TraceCommand;
import dev.probestream.cli.watch.WatchCommand;
import java.util.Locale;

/**
 * The commands in the order of the help. The class of a command is loaded only when it is asked for: reading the options of
 * all commands takes longer than the start of the JVM. The lines are constants, which the compiler copies.
 */
enum CommandName {
    DEMO(DemoCommand.HEADER),
    RECORD(RecordCommand.HEADER),
    TRACE(TraceCommand.HEADER),
    HTTP(HttpCommand.HEADER),
    LOOP(LoopCommand.HEADER),
    HIST(HistCommand.HEADER),
    CONVERT(ConvertCommand.HEADER),
    OPEN(OpenCommand.HEADER),
    QUERY(QueryCommand.HEADER),
    REPORT(ReportCommand.HEADER),
    WATCH(WatchCommand.HEADER),
    INCIDENTS(IncidentsCommand.HEADER),
    COLLECT(CollectCommand.HEADER),
    SINK(SinkCommand.HEADER),
    BROKER(BrokerCommand.HEADER),
    LIST(ListCommand.HEADER),
    DOCTOR(DoctorCommand.HEADER),
    HELP(HelpCommand.HEADER);

    private final String spelling;
    private final String header;

    CommandName(String header) {
        this.spelling = name().toLowerCase(Locale.ROOT);
        this.header = header;
    }

    /** As the user types it. */
    String spelling() {
        return spelling;
    }

    /** Its line in the list of commands. */
    String header() {
        return header;
    }

    Class<?> type() {
        return switch (this) {
            case DEMO -> DemoCommand.class;
            case RECORD -> RecordCommand.class;
            case TRACE -> TraceCommand.class;
            case HTTP -> HttpCommand.class;
            case LOOP -> LoopCommand.class;
            case HIST -> HistCommand.class;
            case CONVERT -> ConvertCommand.class;
            case OPEN -> OpenCommand.class;
            case QUERY -> QueryCommand.class;
            case REPORT -> ReportCommand.class;
            case WATCH -> WatchCommand.class;
            case INCIDENTS -> IncidentsCommand.class;
            case COLLECT -> CollectCommand.class;
            case SINK -> SinkCommand.class;
            case BROKER -> BrokerCommand.class;
            case LIST -> ListCommand.class;
            case DOCTOR -> DoctorCommand.class;
            case HELP -> HelpCommand.class;
        };
    }
}
