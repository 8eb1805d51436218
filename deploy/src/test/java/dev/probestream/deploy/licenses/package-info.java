/** The licences of what a release holds of others: every jar has one, and a text. */
@NullMarked
package dev.probestream.deploy.licenses;

import org.jspecify.annotations.NullMarked;
