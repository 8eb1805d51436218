package dev.probestream.broker;

import java.io.IOException;

/** The broker cannot run. The message contains the address or folder, the reason and an advice. */
public final class BrokerException extends IOException {
    private static final long serialVersionUID = 1;

    BrokerException(String message) {
        super(message);
    }

    BrokerException(String message, Throwable cause) {
        super(message, cause);
    }
}
