package dev.probestream.query.report.page;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.probestream.query.browser.Chromium;
import dev.probestream.query.report.ReportContents;
import java.io.IOException;
import java.io.Writer;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The page as a person sees it: from a file, in Chromium. Pictures stay under target/screenshots. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class ReportPageBrowserTest {
    private static final Path PICTURES = Path.of("target", "screenshots");

    private final Path folder;
    private final Chromium browser;

    ReportPageBrowserTest(@TempDir Path folder) throws IOException, InterruptedException {
        this.folder = folder;
        this.browser = Chromium.start(folder.resolve("profile"));
    }

    @AfterAll
    void end() throws IOException {
        browser.close();
    }

    @BeforeEach
    void forgetTheLastPage() throws Exception {
        browser.open(URI.create("about:blank"));
        browser.console();
        browser.colours("light");
        browser.size(1440, 900);
    }

    @ParameterizedTest
    @CsvSource({"light, 360", "light, 1440", "light, 2560", "dark, 360", "dark, 1440"})
    void everyPlotIsDrawnAndNothingStandsOut(String colours, int width) throws Exception {
        browser.colours(colours);
        browser.size(width, 900);
        open(SampleReport.incident());

        assertThat(browser.run("return window.innerWidth").asInt()).isEqualTo(width);
        assertThat(browser.run("return document.documentElement.dataset.theme").asText())
                .isEqualTo(colours);
        assertDrawn(7);
        assertNoOverflow(width);
        browser.screenshot(PICTURES.resolve("report-" + colours + "-" + width + ".png"));
        browser.size(
                width,
                browser.run("return document.documentElement.scrollHeight").asInt());
        browser.screenshot(PICTURES.resolve("report-" + colours + "-" + width + "-whole.png"));
        assertThat(browser.console()).isEmpty();
    }

    @Test
    void consequencesAndWarningsAreFoldedAndAWholeRecordingIsNotAnnounced() throws Exception {
        browser.size(400, 900);
        open(SampleReport.withConsequence());

        assertThat(browser.run("return document.querySelectorAll('.findings > .finding').length")
                        .asInt())
                .isEqualTo(1);
        assertThat(browser.run("return document.querySelector('.finding .remedy').textContent")
                        .asText())
                .isEqualTo("What to do: Check the peer.");
        assertThat(browser.run("return document.querySelector('.finding details').open")
                        .asBoolean())
                .isFalse();
        assertThat(browser.run("return document.querySelector('.finding details h3').textContent")
                        .asText())
                .isEqualTo("9 % of the requests failed.");
        assertThat(browser.run("return document.querySelector('#page-recorded dd details summary').textContent")
                        .asText())
                .isEqualTo("2 lines");
        assertThat(browser.run("return document.querySelector('header .loss') === null")
                        .asBoolean())
                .isTrue();
        assertNoOverflow(400);
        assertThat(browser.console()).isEmpty();
    }

    @Test
    void theFirstScreenSaysWhatHappenedAndWhatWasLost() throws Exception {
        open(SampleReport.incident());

        for (String selector : new String[] {"h1", ".loss", ".finding.high h3", "#page-recorded h2"}) {
            assertThat(browser.run("const r = document.querySelector('" + selector
                                    + "').getBoundingClientRect(); return r.top >= 0 && r.bottom <= innerHeight")
                            .asBoolean())
                    .as(selector)
                    .isTrue();
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"markup", "right to left", "long", "controls"})
    void aRecordedTextIsNeverMarkup(String kind) throws Exception {
        String text = switch (kind) {
            case "markup" -> SampleReport.MARKUP;
            case "right to left" -> "\u202e\u05d0\u05d1\u05d2 abc/\u0627\u0644\u0639\u0631\u0628\u064a\u0629";
            case "long" -> "a/very-long_name.".repeat(600);
            default -> "\u0000\u0007\u001b[31m\u2028 {a} {b|c} ${d} %s \ud83d";
        };
        browser.size(360, 800);
        open(SampleReport.hostile(text));

        assertThat(browser.run("return window.broken ?? null").isNull()).isTrue();
        assertThat(browser.run("return document.querySelectorAll('img').length").asInt())
                .isZero();
        assertThat(browser.run("return document.querySelectorAll('script').length")
                        .asInt())
                .isEqualTo(3);
        assertDrawn(4);
        assertNoOverflow(360);
        hover(4);
        assertThat(browser.console()).isEmpty();
        browser.screenshot(PICTURES.resolve("hostile-" + kind.replace(' ', '-') + ".png"));
    }

    @Test
    void nothingRecordedIsSaid() throws Exception {
        browser.size(800, 800);
        open(SampleReport.empty());

        assertThat(browser.run("return document.querySelectorAll('figure .nothing').length")
                        .asInt())
                .isEqualTo(5);
        assertThat(browser.console()).isEmpty();
    }

    @Test
    void evidenceLeadsToItsSection() throws Exception {
        open(SampleReport.incident());
        browser.run(
                "document.documentElement.style.scrollBehavior = 'auto'; document.querySelector('.evidence a').click()");

        assertThat(browser.run("return document.querySelector(':target').id").asText())
                .isEqualTo("slow-requests");
        assertThat(browser.run("const top = document.querySelector(':target').getBoundingClientRect().top;"
                                + " return top >= 0 && top < innerHeight")
                        .asBoolean())
                .isTrue();
    }

    @Test
    void theColoursCanBeChosen() throws Exception {
        open(SampleReport.incident());
        String before = background();
        browser.run("document.querySelector('.theme').click()");

        assertThat(background()).isNotEqualTo(before);
        assertDrawn(7);
        browser.run("localStorage.clear()");
    }

    @Test
    void aLineIsHiddenByItsName() throws Exception {
        open(SampleReport.incident());
        String highest = "return echarts.getInstanceByDom(document.querySelector('#requests .plot')).getModel()"
                + ".getComponent('yAxis').axis.scale.getExtent()[1]";
        double before = browser.run(highest).asDouble();
        browser.run("document.querySelector('#requests .legend button').click()");

        assertThat(browser.run(highest).asDouble()).isLessThan(before / 2);
        assertThat(browser.run("return document.querySelector('#requests .legend button').getAttribute('aria-pressed')")
                        .asText())
                .isEqualTo("false");
    }

    @Test
    void aTimeIsChosenOnAllPlotsAtOnce() throws Exception {
        open(SampleReport.incident());
        browser.run(
                "document.documentElement.style.scrollBehavior = 'auto'; document.querySelector('#requests').scrollIntoView()");
        JsonNode box = browser.run("const r = document.querySelector('#requests .plot').getBoundingClientRect();"
                + " return [r.left, r.top, r.width, r.height]");
        double y = box.get(1).asDouble() + box.get(3).asDouble() / 2;
        double left = box.get(0).asDouble();
        double width = box.get(2).asDouble();
        browser.drag(left + width * 0.4, left + width * 0.6, y);
        String shown = "return [...document.querySelectorAll('.series .plot')].map(plot => { const [from, to] = echarts"
                + ".getInstanceByDom(plot).getModel().getComponent('xAxis').axis.scale.getExtent(); return to - from < 20e3; })";

        assertThat(browser.run(shown).toString()).isEqualTo("[true,true,true]");
        browser.run("document.querySelector('#requests .legend button').click()"); // which draws one of them anew
        assertThat(browser.run(shown).toString()).isEqualTo("[true,true,true]");
        browser.run(
                "document.querySelector('#requests .plot canvas').dispatchEvent(new MouseEvent('dblclick', {bubbles: true,"
                        + " clientX: " + (left + width / 2) + ", clientY: " + y + "}))");
        assertThat(browser.run(shown).toString()).isEqualTo("[false,false,false]");
    }

    @Test
    void aTableIsSortedByItsHeads() throws Exception {
        open(SampleReport.incident());
        String first = "return document.querySelector('#files tbody td').textContent";
        browser.run("document.querySelectorAll('#files th button')[3].click()"); // bytes, the largest first

        assertThat(browser.run(first).asText()).endsWith("section-59/page.html");
        browser.run("document.querySelectorAll('#files th button')[3].click()");
        assertThat(browser.run(first).asText()).endsWith("section-0/page.html");
        assertThat(browser.run("return document.querySelectorAll('#files tbody tr').length")
                        .asInt())
                .isEqualTo(12);
        browser.run("document.querySelector('#files .all').click()");
        assertThat(browser.run("return document.querySelectorAll('#files tbody tr').length")
                        .asInt())
                .isEqualTo(60);
    }

    @Test
    void aFlameGraphIsZoomedSearchedAndReset() throws Exception {
        open(SampleReport.incident());
        String says = "return document.querySelector('#cpu .says').textContent";
        String shown =
                "return echarts.getInstanceByDom(document.querySelector('#cpu .plot')).getOption().series[0].data"
                        + ".filter(frame => frame[1] === 0 && frame[2] === 1).length";

        assertThat(browser.run(says).asText()).contains("100").contains("of all");
        press("ArrowDown", "ArrowDown", "Enter");
        assertThat(browser.run(shown).asInt()).isGreaterThanOrEqualTo(3); // all, the two that were gone through
        browser.run("const input = document.querySelector('#cpu input'); input.value = 'handle1';"
                + " input.dispatchEvent(new Event('input'))");
        assertThat(browser.run(says).asText()).startsWith("found in ");
        browser.run(
                "document.documentElement.style.scrollBehavior = 'auto'; document.querySelector('#cpu').scrollIntoView()");
        browser.screenshot(PICTURES.resolve("flame-searched.png"));
        press("Escape");
        assertThat(browser.run(shown).asInt()).isEqualTo(1);
        assertThat(browser.console()).isEmpty();
    }

    @Test
    void thePlotsFitOnPaper() throws Exception {
        browser.colours("dark");
        open(SampleReport.incident());
        browser.run("dispatchEvent(new Event('beforeprint'))");

        assertThat(background()).isEqualTo("rgb(255, 255, 255)");
        assertThat(browser.run("return Math.max(...[...document.querySelectorAll('.plot canvas')].map(c => c.width))")
                        .asInt())
                .isLessThanOrEqualTo(720);
        browser.run("dispatchEvent(new Event('afterprint'))");
        assertThat(background()).isNotEqualTo("rgb(255, 255, 255)");
    }

    @Test
    void nothingIsFoldedOnPaper() throws Exception {
        open(SampleReport.withConsequence());
        browser.run("dispatchEvent(new Event('beforeprint'))");
        String closed = "return document.querySelectorAll('details:not(.numbers):not([open])').length";

        assertThat(browser.run(closed).asInt()).isZero();
        browser.run("dispatchEvent(new Event('afterprint'))");
        assertThat(browser.run(closed).asInt()).isEqualTo(2);

        open(SampleReport.incident());
        String rows = "return document.querySelectorAll('#files tbody tr').length";
        browser.run("dispatchEvent(new Event('beforeprint'))");
        assertThat(browser.run(rows).asInt()).isEqualTo(60);
        browser.run("dispatchEvent(new Event('afterprint'))");
        assertThat(browser.run(rows).asInt()).isEqualTo(12);
    }

    @Test
    void nothingIsCutOffOnPaper() throws Exception {
        open(SampleReport.hostile("a/very-long_name.".repeat(60)));
        browser.run("dispatchEvent(new Event('beforeprint'))");

        assertThat(browser.run("return Math.max(...[...document.querySelectorAll('main *')]"
                                + ".map(each => each.getBoundingClientRect().right))")
                        .asInt())
                .isLessThanOrEqualTo(720);
        assertThat(browser.run(
                                "return [...document.querySelectorAll('.scroll, .part, .finding, .capture')]"
                                        + ".filter(box => box.scrollWidth > box.clientWidth + 1 || box.scrollHeight > box.clientHeight + 1).length")
                        .asInt())
                .isZero();
        assertThat(browser.run("return document.querySelectorAll('.recorded button').length")
                        .asInt())
                .isZero();
    }

    private void open(ReportContents contents) throws IOException, InterruptedException {
        Path file = folder.resolve("report.html");
        try (Writer out = Files.newBufferedWriter(file)) {
            ReportPage.write(contents, out);
        }
        browser.open(file.toUri());
        assertThat(browser.run("return document.documentElement.dataset.ready").asText())
                .as("the page's console: " + browser.console())
                .isEqualTo("true");
        browser.run("return new Promise(drawn => { const look = () => document.querySelector('.plot:not([data-drawn])')"
                + " === null ? drawn() : requestAnimationFrame(look); look(); })");
    }

    /** Each canvas has pixels of several colours. */
    private void assertDrawn(int plots) throws IOException, InterruptedException {
        assertThat(browser.run("""
                                return [...document.querySelectorAll('.plot')].map(plot => {
                                  const canvas = plot.querySelector('canvas');
                                  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
                                  const colours = new Set();
                                  for (let i = 0; i < data.length; i += 4) {
                                    if (data[i + 3] > 200) { colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]); }
                                  }
                                  return echarts.getInstanceByDom(plot) !== undefined && colours.size > 3;
                                })
                                """).toString())
                .isEqualTo("[" + "true,".repeat(plots).replaceAll(",$", "") + "]");
    }

    private void assertNoOverflow(int width) throws IOException, InterruptedException {
        assertThat(browser.run("return document.documentElement.scrollWidth").asInt())
                .isLessThanOrEqualTo(width);
    }

    /** Shows the tooltip of each plot in turn. */
    private void hover(int plots) throws IOException, InterruptedException {
        for (int i = 0; i < plots; i++) {
            browser.run("const plot = document.querySelectorAll('.plot')[" + i
                    + "]; plot.scrollIntoView(); echarts.getInstanceByDom(plot)"
                    + ".dispatchAction({type: 'showTip', seriesIndex: 0, dataIndex: 0})");
            assertThat(browser.run("return document.querySelectorAll('.plot')[" + i
                                    + "].querySelector('.tip') !== null")
                            .asBoolean())
                    .as("tooltip " + i)
                    .isTrue();
        }
        assertThat(browser.run("return window.broken ?? null").isNull()).isTrue();
    }

    private void press(String... keys) throws IOException, InterruptedException {
        for (String key : keys) {
            browser.run(
                    "document.querySelector('#cpu .scroll.flame').dispatchEvent(new KeyboardEvent('keydown', {key: '"
                            + key + "', bubbles: true}))");
        }
    }

    private String background() throws IOException, InterruptedException {
        return browser.run("return getComputedStyle(document.body).backgroundColor")
                .asText();
    }
}
