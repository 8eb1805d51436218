package dev.probestream.cli.kafka.kill;

import dev.probestream.cli.endtoend.fixture.FreePort;
import java.io.IOException;
import java.nio.file.Path;

/** An address and a data folder that stay while brokers come and go. */
record BrokerPlace(int port, Path data) {
    /** What it says when it serves. */
    static final String READY = "broker ready at ";

    /** A port that is free now. */
    static BrokerPlace in(Path folder) throws IOException {
        return new BrokerPlace(FreePort.find(), folder.resolve("broker"));
    }

    String servers() {
        return "127.0.0.1:" + port;
    }

    /** Starts one; it may not serve yet. */
    Service start() throws IOException {
        return Service.start("broker", "--port", String.valueOf(port), "--data", data.toString());
    }
}
