/** System calls and native memory through jnr-ffi. Only this module may use it; nothing else imports jnr. */
@NullMarked
package dev.probestream.bpf.internal;

import org.jspecify.annotations.NullMarked;
