// The page: findings first, then the data.

const SEVERITIES = {HIGH: 'High', MEDIUM: 'Medium', NOTE: 'Note'};
const THEME_KEY = 'probestream-theme';

const report = JSON.parse(document.getElementById('report').textContent);

// Counts, which no rule looked at, have no findings.
const isCounts = report.sections.length === 1 && report.sections[0].id === 'counts';

function header() {
  // A whole recording is stated where its facts are: here stands only what limits the findings.
  const loss = report.captures.every(capture => capture.isWhole) ? null : element('p', {class: 'loss broken'},
      element('a', {href: '#page-recorded'}, 'Not everything was recorded: see what is missing'));
  return element('header', {},
      element('div', {class: 'top'}, element('span', {class: 'brand'}, `Probestream ${isCounts ? 'counts' : 'report'}`), themeButton()),
      element('h1', {}, recorded(report.title)),
      element('p', {class: 'made'}, `Made ${visible(report.generatedAt)} by Probestream ${visible(report.toolVersion)}`),
      loss);
}

function findings() {
  if (isCounts) {
    return null;
  }
  const found = withConsequences(report.findings).map(({finding, consequences}) => element('li',
      {class: `finding ${finding.severity.toLowerCase()}`}, ...findingParts(finding),
      consequences.length === 0 ? null : element('details', {class: 'consequences'},
          element('summary', {}, consequences.length === 1 ? 'One consequence: ' : `${consequences.length} consequences: `,
              clip(consequences[0].title, 160)),
          ...consequences.map(one => element('div', {class: 'consequence'}, ...findingParts(one))))));
  return element('section', {id: 'page-findings', 'aria-labelledby': 'page-findings-title'},
      element('h2', {id: 'page-findings-title'}, 'Findings'),
      found.length === 0 ? element('p', {class: 'finding healthy'}, 'No findings: no rule found a problem.')
        : element('ul', {class: 'findings'}, ...found));
}

/** Each finding with its consequences: those that follow the first cause. Without a cause a consequence stands for itself. */
function withConsequences(findings) {
  const cause = findings.find(finding => !finding.isConsequence && finding.severity !== 'NOTE');
  const folded = cause === undefined ? [] : findings.filter(finding => finding.isConsequence);
  return findings.filter(finding => !folded.includes(finding))
      .map(finding => ({finding, consequences: finding === cause ? folded : []}));
}

function findingParts(finding) {
  return [
    element('p', {class: 'severity'}, SEVERITIES[finding.severity], element('code', {}, visible(finding.rule))),
    element('h3', {}, recorded(finding.title)),
    element('p', {}, recorded(finding.text, LONGEST_SENTENCES)),
    (finding.remedy ?? '') === '' ? null : element('p', {class: 'remedy'}, element('strong', {}, 'What to do: '), recorded(finding.remedy)),
    finding.evidence.length === 0 ? null : element('p', {class: 'evidence'}, 'Seen in: ',
        ...finding.evidence.map(evidence => element('a', {href: `#${evidence.sectionId}`}, clip(evidence.label, 120))))
  ].filter(part => part !== null);
}

/** A value of several lines, such as the warnings of the collector, is a folded list. */
function factValue(fact) {
  const lines = fact.value.split('\n').filter(line => line.trim() !== '');
  return lines.length < 2 ? recorded(fact.value.trim()) : element('details', {}, element('summary', {}, `${count(lines.length)} lines`),
      element('ul', {class: 'lines'}, ...lines.map(line => element('li', {}, recorded(line.trim())))));
}

/** What one capture recorded. On a narrow screen it is folded: the sections that show the cause come sooner. */
function captureCard(capture) {
  const name = element('h3', {}, recorded(capture.name), ' ',
      element('span', {class: capture.isWhole ? 'badge whole' : 'badge broken'}, capture.isWhole ? 'whole' : 'not whole'));
  const facts = element('dl', {}, ...capture.facts.flatMap(fact =>
      [element('dt', {}, recorded(fact.label)), element('dd', {}, factValue(fact))]));
  return innerWidth < NARROW && capture.isWhole
    ? element('details', {class: 'capture'}, element('summary', {}, name), facts)
    : element('div', {class: 'capture'}, name, facts);
}

function captures() {
  return element('section', {id: 'page-recorded', 'aria-labelledby': 'page-recorded-title'},
      element('h2', {id: 'page-recorded-title'}, 'Recorded and lost'),
      ...report.captures.map(captureCard),
      report.captures.length === 0 ? nothing() : null);
}

function advice() {
  return report.advice.length === 0 ? null : element('section', {id: 'page-advice', 'aria-labelledby': 'page-advice-title'},
      element('h2', {id: 'page-advice-title'}, 'What to record next'),
      element('ul', {class: 'advice'}, ...report.advice.map(one => element('li', {},
          element('strong', {}, recorded(one.missing)), ' ', recorded(one.remedy)))));
}

function chapter(section, figures) {
  const own = section.parts.map(part => figure(part, 'h3'));
  figures.push(...own);
  widen(own.map(one => one.made));
  return element('section', {id: section.id, 'aria-labelledby': `${section.id}-title`},
      element('h2', {id: `${section.id}-title`}, recorded(section.title)),
      section.explanation === '' ? null : element('p', {class: 'explanation'}, recorded(section.explanation, LONGEST_SENTENCES)),
      element('div', {class: 'parts'}, ...own.map(one => one.made)));
}

/** Small plots stand two in a row; a single one gets the whole row. */
function widen(figures) {
  let isLeft = true;
  figures.forEach((figure, index) => {
    const isSmall = figure.matches('.series, .histogram');
    const isFollowed = figures[index + 1]?.matches('.series, .histogram') ?? false;
    figure.classList.toggle('wide', !isSmall || (isLeft && !isFollowed));
    isLeft = !isSmall || !isLeft || !isFollowed;
  });
}

function contents() {
  const entries = [...(isCounts ? [] : [['page-findings', 'Findings']]), ['page-recorded', 'Recorded and lost'],
    ...(report.advice.length === 0 ? [] : [['page-advice', 'What to record next']]),
    ...report.sections.map(section => [section.id, section.title])];
  return element('nav', {'aria-label': 'Contents'}, element('ul', {}, ...entries.map(([id, title]) =>
      element('li', {}, element('a', {href: `#${id}`}, clip(title, 60))))));
}

/** Light, dark, or the setting of the system. The choice is stored if the browser stores data for files. */
function themeButton() {
  const system = matchMedia('(prefers-color-scheme: dark)');
  const button = element('button', {type: 'button', class: 'theme'});
  const isDark = () => document.documentElement.dataset.theme === 'dark';
  const show = theme => {
    document.documentElement.dataset.theme = theme;
    button.textContent = isDark() ? 'Light colours' : 'Dark colours';
    redraw();
  };
  const follow = () => show(kept() ?? (system.matches ? 'dark' : 'light'));
  button.addEventListener('click', () => {
    const chosen = isDark() ? 'light' : 'dark';
    keep(chosen);
    show(chosen);
  });
  system.addEventListener('change', follow);
  follow();
  return button;
}

function kept() {
  try {
    return localStorage.getItem(THEME_KEY);
  } catch {
    return null; // the browser stores nothing for this page
  }
}

function keep(theme) {
  try {
    localStorage.setItem(THEME_KEY, theme);
  } catch {
    // As above: the choice ends with the page.
  }
}

function redraw() {
  plots.forEach(plot => plot.draw());
}

/** What is folded on the screen; the numbers of a plot are not, because it shows them. */
const FOLDED = 'details:not(.numbers)';

/** Printing uses light colours and the width of the paper, and shows what is folded: nothing can be opened on paper. */
function printing(isPrinting) {
  if (isPrinting) {
    document.querySelectorAll(`${FOLDED}:not([open])`).forEach(details => details.setAttribute('data-printed', ''));
    document.querySelectorAll('button.more').forEach(more => more.click());
  }
  document.querySelectorAll('[data-printed]').forEach(details => {
    details.open = isPrinting;
    details.toggleAttribute('data-printed', isPrinting);
  });
  const root = document.documentElement;
  root.classList.toggle('printing', isPrinting);
  if (isPrinting) {
    root.dataset.screen = root.dataset.theme;
  }
  root.dataset.theme = isPrinting ? 'light' : root.dataset.screen;
  document.querySelectorAll('.scroll table').forEach(table => fitOnPaper(table, isPrinting));
  plots.forEach(plot => {
    plot.chart.resize();
    plot.draw();
  });
}

/** A table with more columns than the paper has room for becomes smaller. */
function fitOnPaper(table, isPrinting) {
  table.style.zoom = '';
  const room = table.parentElement.clientWidth;
  if (isPrinting && table.offsetWidth > room) {
    table.style.zoom = String(room / table.offsetWidth);
  }
}

function footer() {
  return element('footer', {}, element('p', {},
      'Times are UTC. Drag across a time plot to zoom all of them; a double click resets the zoom.'),
      element('p', {}, `Plots: Apache ECharts ${echarts.version}, Copyright The Apache Software Foundation, Apache License 2.0.`
          + ' This page holds all it shows and loads nothing.'));
}

function build() {
  document.title = `${clip(report.title, 100)} – Probestream report`;
  const figures = [];
  const main = element('main', {},
      element('div', {class: 'first'}, findings(), captures()), advice(),
      ...report.sections.map(section => chapter(section, figures)));
  document.body.append(header(), element('div', {class: 'columns'}, contents(), main), footer());
  figures.forEach(one => one.draw());
  echarts.connect('time');
  addEventListener('beforeprint', () => printing(true));
  addEventListener('afterprint', () => printing(false));
  if (location.hash !== '') {
    document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView();
  }
  document.documentElement.setAttribute('data-ready', 'true');
}

build();
