/** A real browser for tests: Chromium, driven by chromedriver (W3C WebDriver over HTTP). */
@NullMarked
package dev.probestream.query.browser;

import org.jspecify.annotations.NullMarked;
