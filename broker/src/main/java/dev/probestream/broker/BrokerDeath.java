package dev.probestream.broker;

import org.jspecify.annotations.Nullable;

/** The end of the process when Kafka's server finds that it cannot go on: said first, because Kafka only logs it. */
final class BrokerDeath {
    private final BrokerDataFolder data;

    BrokerDeath(BrokerDataFolder data) {
        this.data = data;
    }

    /** A {@link org.apache.kafka.common.utils.Exit.Procedure}: never returns. */
    void end(int statusCode, @Nullable String message) {
        String reason = message != null
                ? message
                : data.isFull() ? "its disk is full; make room and start again" : "PROBESTREAM_LOG=warn shows why";
        System.err.println("the broker with data in " + data.path() + " cannot go on and ends this process: " + reason);
        System.err.flush();
        Runtime.getRuntime().halt(statusCode == 0 ? 1 : statusCode);
    }
}
