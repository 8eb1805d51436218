package dev.probestream.broker;

import java.security.NoSuchAlgorithmException;
import java.util.List;
import java.util.Map;
import javax.security.auth.callback.Callback;
import javax.security.auth.callback.NameCallback;
import javax.security.auth.callback.UnsupportedCallbackException;
import javax.security.auth.login.AppConfigurationEntry;
import org.apache.kafka.common.security.auth.AuthenticateCallbackHandler;
import org.apache.kafka.common.security.scram.ScramCredential;
import org.apache.kafka.common.security.scram.ScramCredentialCallback;
import org.apache.kafka.common.security.scram.internals.ScramFormatter;
import org.apache.kafka.common.security.scram.internals.ScramMechanism;
import org.jspecify.annotations.Nullable;

/**
 * The server side of SCRAM for the one user of the broker. Kafka's own takes credentials from the metadata log, where a
 * data folder of an earlier version has none, and where the controller has none before the log is read. Kafka creates an
 * object of this class for each listener.
 */
public final class ScramCredentials implements AuthenticateCallbackHandler {
    private @Nullable ScramCredential credential;

    @Override
    public void configure(Map<String, ?> configs, String mechanism, List<AppConfigurationEntry> jaas) {
        Object password = jaas.get(0).getOptions().get(BrokerSecret.PASSWORD_OPTION);
        try {
            // The password has 256 random bits: more iterations than the protocol demands would not help.
            credential = new ScramFormatter(ScramMechanism.SCRAM_SHA_256)
                    .generateCredential(String.valueOf(password), ScramMechanism.SCRAM_SHA_256.minIterations());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("this JDK has no SHA-256", e);
        }
    }

    @Override
    public void handle(Callback[] callbacks) throws UnsupportedCallbackException {
        String user = null;
        for (Callback callback : callbacks) {
            if (callback instanceof NameCallback name) {
                user = name.getDefaultName();
            } else if (callback instanceof ScramCredentialCallback scram) {
                // Without a credential, the server refuses the user.
                scram.scramCredential(BrokerSecret.USER.equals(user) ? credential : null);
            } else {
                throw new UnsupportedCallbackException(callback);
            }
        }
    }

    @Override
    public void close() {
        credential = null;
    }
}
