// Elements and texts. Recorded data is inserted into the document here, as text nodes only, never as markup.

const LONG_TEXT = 300;
const LONGEST_SENTENCES = 1200;

/** Makes an element: attributes as properties of an object, children as elements or texts; null is skipped. */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) {
      made.setAttribute(name, value === true ? '' : value);
    }
  }
  made.append(...children.filter(child => child !== null));
  return made;
}

/** Shows control characters, which could move or turn the text around them, as symbols. */
function visible(text) {
  return String(text)
      .replace(/[\u0000-\u001f]/g, control => String.fromCharCode(0x2400 + control.charCodeAt(0)))
      .replace(/[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, '\ufffd');
}

/** Truncates to a number of characters, including the ellipsis. */
function clip(text, limit) {
  const shown = visible(text);
  return shown.length <= limit ? shown : shown.slice(0, limit - 1) + '…';
}

/** A recorded text of any length: a long one is truncated, with a button that shows the rest. */
function recorded(text, limit = LONG_TEXT) {
  const whole = visible(text);
  const shown = element('span', {class: 'recorded'}, clip(text, limit));
  if (whole.length > limit) {
    const more = element('button', {type: 'button', class: 'more'}, `all ${count(whole.length)} characters`);
    more.addEventListener('click', () => shown.replaceChildren(whole));
    shown.append(' ', more);
  }
  return shown;
}
