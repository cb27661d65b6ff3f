// Elements made without markup: whatever comes from a program is text and never HTML.

/// Characters that turn the direction of text, or that cannot be seen, are shown by their numbers: code must not
/// look like other code than it is.
const HIDDEN = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff]/g;
export const visible = (text: string) =>
  text.replace(HIDDEN, letter => `‹U+${letter.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}›`);

type Child = Node | string | null | undefined;

export function make<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag, attributes: Record<string, string | number | boolean | undefined> = {}, ...children: Child[]
): HTMLElementTagNameMap[Tag] {
  const element = document.createElement(tag);
  setAttributes(element, attributes);
  element.append(...children.filter(child => child != null).map(child => (typeof child === 'string' ? visible(child) : child)));
  return element;
}

/// An attribute that is false or undefined is taken away.
export function setAttributes(element: Element, attributes: Record<string, string | number | boolean | undefined>) {
  for (const [name, value] of Object.entries(attributes))
    if (value === undefined || value === false)
      element.removeAttribute(name);
    else
      element.setAttribute(name, value === true ? '' : String(value));
}

/// Writes only where something changed: most cells stay as they are when a slider moves.
export function setText(element: Node, text: string) {
  const shown = visible(text);
  if (element.textContent !== shown)
    element.textContent = shown;
}

/// A place in the source that leads there.
export function placeLink(place: string, go: (place: string) => void, text = place): HTMLElement {
  const link = make('button', {type: 'button', class: 'place', title: text === place ? undefined : visible(place)}, text);
  link.addEventListener('click', () => go(place));
  return link;
}

/// A button that reads as a link.
export function linkButton(text: string, act: () => void): HTMLButtonElement {
  const link = make('button', {type: 'button', class: 'link'}, text);
  link.addEventListener('click', act);
  return link;
}

/// Writes \p text into a file of the reader's.
export function download(name: string, type: string, text: string) {
  const address = URL.createObjectURL(new Blob([text], {type}));
  const link = make('a', {href: address, download: name});
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}

/// Rows of cells as CSV (RFC 4180).
export const csvOf = (rows: (string | number | null | undefined)[][]) => rows.map(cells => cells.map(cell => {
  const text = cell == null ? '' : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}).join(',') + '\r\n').join('');

/// The options of a select, and which is chosen.
export function setOptions(select: HTMLSelectElement, options: {value: string; text: string}[], chosen: string) {
  if (select.options.length !== options.length ||
      options.some(({value, text}, at) => select.options[at].value !== value || select.options[at].text !== text))
    select.replaceChildren(...options.map(({value, text}) => make('option', {value}, text)));
  select.value = chosen;
}

export const panel = (id: string, title: string, ...children: Child[]) =>
  make('section', {id, class: 'panel', 'aria-labelledby': `${id}-title`},
       make('div', {class: 'panel-head'}, make('h2', {id: `${id}-title`}, title)), ...children);
