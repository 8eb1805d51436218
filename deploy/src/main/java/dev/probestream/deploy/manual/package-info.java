/**
 * Man pages and completions: the model of the commands comes in (picocli's, as {@code --help} shows it), the texts of the
 * files go out. {@link dev.probestream.deploy.manual.ManualMain} alone writes files. Runs in the build only and is part of
 * no release. Must not import: what the commands do; only their model.
 */
@NullMarked
package dev.probestream.deploy.manual;

import org.jspecify.annotations.NullMarked;
