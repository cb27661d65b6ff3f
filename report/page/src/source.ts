// The source of a function, line by line, with what each line costs.
import {csvOf, download, linkButton, make, panel, setAttributes, setOptions, setText, visible} from './dom';
import {KNOWN_MARKS, KNOWN_WORDS, percent, quantity, showNumber} from './format';
import {Rows} from './rows';
import {piecesOf, type Coloured} from './pieces';
import type {LineRow, Program, Source as SourceText} from './contract';
import type {State} from './state';

const TAB = 8;

/// What is shown of one file.
interface Shown {
  path: string;
  lines: string[];
  coloured: Coloured | null;
  isAnnotated: boolean;
}

/// The message for a file that differs from the recorded one and is not annotated.
const STATES: Record<string, string> = {
  ok: '',
  unchecked: 'The record has no checksum of this file, so its lines are not shown.',
  changed: 'This file has changed since it was recorded, so it is not annotated. Build and record again.',
  missing: 'This file was not found when the report was made, so its lines cannot be shown.',
  outside: 'This file is in no folder of the build, so its lines are not shown: `ergon report --source-root` names more folders.',
  'no file': 'This is not a regular file, so its lines are not shown.',
  'too large': 'This file is too large, so its lines are not shown.',
  'not UTF-8': 'This file is not UTF-8 text, so its lines are not shown.',
};
const ANNOTATED = ['ok'];

export class SourceView {
  readonly element: HTMLElement;
  private rows: Rows;
  private file = make('select', {id: 'file', 'aria-label': 'Source file'});
  private message = make('p', {class: 'message', role: 'status'});
  private rest = make('p', {class: 'quiet rest'});
  private shown: Shown = {path: '', lines: [], coloured: null, isAnnotated: false};
  private costs = new Map<number, LineRow>();
  private levels: string[] = [];
  private hottest: number[] = [];
  private largest = 0;
  private whole?: number;
  /// What lines are shaded by: joules, or flops where no line has joules.
  private heat: (row: LineRow) => number = () => 0;

  constructor(private program: Program, private change: (patch: Partial<State>) => void,
              private pointAt: (path: string, line: number | null) => void) {
    this.rows = this.makeRows();
    this.file.addEventListener('change', () => change({file: this.file.value, line: null}));
    const legend = make('span', {class: 'quiet legend'},
                        Object.entries(KNOWN_MARKS).map(([how, mark]) => `${mark} ${how}`).join('  '));
    this.element = panel('source', 'Source', this.message, this.rows.element, this.rest);
    this.element.firstElementChild!.append(this.file, legend,
      make('span', {class: 'quiet keys'}, 'h / H: next, previous hot line'), linkButton('CSV', () => this.save()));
  }

  get path() {
    return this.shown.path;
  }

  /// The current line; nothing where there is no text.
  get line() {
    return this.shown.lines.length ? this.rows.at + 1 : null;
  }

  /// The files to choose from: those where the function has costs come first.
  showFiles(path: string, costed: string[]) {
    const others = this.program.files.map(file => file.path).filter(each => !costed.includes(each));
    const paths = [...new Set([...costed, ...others, path])];
    setOptions(this.file, paths.map(value => ({value, text: value + this.stateMark(value)})), path);
  }

  showText(source: SourceText, line: number | null) {
    const lines = source.text ? source.text.split(/\r\n|\r|\n/) : [];
    if (lines.length && lines[lines.length - 1] === '')
      lines.pop();
    this.shown = {path: source.path, lines, coloured: null, isAnnotated: ANNOTATED.includes(source.state)};
    this.costs = new Map();
    const said = STATES[source.state] ?? `State of this file: ${source.state}.`;
    setText(this.message, said);
    this.message.hidden = !said;
    this.rows.element.hidden = !lines.length;
    const widest = lines.reduce((most, text) => Math.max(most, text.length + (TAB - 1) * (text.split('\t').length - 1)), 40);
    this.rows.element.style.setProperty('--code', `${Math.min(widest, 2000) + 2}ch`);
    this.setLevels(this.levels);
    this.rows.setCount(lines.length);
    this.moveTo(line ?? 1, false);
  }

  showColours(path: string, coloured: Coloured | null) {
    if (path !== this.shown.path)
      return;
    this.shown.coloured = coloured;
    this.rows.refresh();
  }

  /// \p whole is the energy of the function, in J.
  showCosts(rows: LineRow[], whole: number | undefined) {
    this.whole = whole;
    const known = this.shown.isAnnotated ? rows : [];
    this.costs = new Map(known.map(row => [row.line, row]));
    const inOrder = ['l1', 'shared', 'l2', 'l3', 'dram'];
    const rank = (level: string) => (inOrder.indexOf(level) + inOrder.length + 1) % (inOrder.length + 1);
    const levels = [...new Set(known.flatMap(row => Object.keys(row.bytes)))];
    this.setLevels(levels.sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1)));
    const isPriced = known.some(row => row.energy_j != null);
    this.heat = row => (isPriced ? row.energy_j : row.flops) ?? 0;
    this.largest = Math.max(0, ...known.map(this.heat));
    this.hottest = known.filter(row => this.heat(row) > 0.02 * this.largest).map(({line}) => line).sort((a, b) => a - b);
    this.rows.refresh();
  }

  /// Energy that belongs to no line.
  showRest(rest: {what: string; energy_j: number | null}[]) {
    const text = rest.map(({what, energy_j}) => `${what} ${quantity(energy_j, 'J')}`).join(' · ');
    if (this.rest.textContent === visible(`Of no line: ${text}`))
      return;
    this.rest.replaceChildren('Of no line: ', ...rest.map(({what, energy_j}, at) => {
      const joules = make('span');
      showNumber(joules, energy_j, 'J');
      return make('span', {}, `${at ? ' · ' : ''}${what} `, joules);
    }));
    this.rest.hidden = !text;
  }

  /// The line with the most of what lines are shaded by.
  get hottestLine(): number | null {
    return this.hottest.reduce<number | null>(
      (best, line) => (best == null || this.heat(this.costs.get(line)!) > this.heat(this.costs.get(best)!) ? line : best), null);
  }

  costOf(line: number): LineRow | undefined {
    return this.costs.get(line);
  }

  moveTo(line: number, tell = true) {
    this.rows.moveTo(line - 1, true, tell);
  }

  focus() {
    this.rows.element.focus({preventScroll: true});
  }

  private save() {
    const rows = [...this.costs.values()];
    download('lines.csv', 'text/csv', csvOf([['file', 'line', 'energy_j', 'flops', ...this.levels.map(level => `bytes_${level}`), 'known'],
      ...rows.map(row => [this.shown.path, row.line, row.energy_j, row.flops, ...this.levels.map(level => row.bytes[level]), row.known])]));
  }

  private stateMark(path: string) {
    const state = this.program.files.find(each => each.path === path)?.state ?? 'ok';
    return state === 'ok' ? '' : ` (${state})`;
  }

  private makeRows(): Rows {
    const rows = new Rows({
      label: 'Source lines: arrow keys move, h goes to the next hot line',
      columns: [],
      make: () => ['line', 'number heat', 'number', 'number', ...this.levels.map(() => 'number'), 'known', 'code']
                    .map(name => make('div', {class: name})),
      fill: (cells, at, row) => this.fill(cells, at + 1, row),
      moved: at => {
        this.pointAt(this.shown.path, at + 1);
        this.change({line: at + 1, file: this.shown.path});
      },
      hovered: at => this.pointAt(this.shown.path, at == null ? null : at + 1),
      key: (event, at) => this.jump(event.key, at + 1),
    });
    rows.element.classList.add('lines');
    return rows;
  }

  private setLevels(levels: string[]) {
    if (levels.join() === this.levels.join() && this.rows.hasColumns)
      return;
    this.levels = levels;
    this.rows.element.style.setProperty('--levels', levels.length ? `repeat(${levels.length}, 72px)` : '');
    this.rows.setColumns([['line', '', 'Line'], ['number', 'Energy', ''], ['number', 'Share', 'of the energy of the function'], ['number', 'Work', ''],
                          ...levels.map(level => ['number', level, `bytes of ${level}`]),
                          ['known', '', 'How it is known'], ['code', 'Code', '']]
      .map(([name, text, label]) => make('div', {class: name, title: label || undefined, 'aria-label': label || undefined}, text)));
  }

  private fill(cells: HTMLElement[], line: number, row: HTMLElement) {
    const cost = this.costs.get(line);
    const [number, energy, share, work, ...rest] = cells;
    const bytes = rest.slice(0, -2), known = rest[rest.length - 2], code = rest[rest.length - 1];
    setText(number, String(line));
    showNumber(energy, cost?.energy_j, 'J', cost?.why);
    showNumber(work, cost?.flops, 'flop', cost?.why);
    setText(share, cost?.energy_j && this.whole ? percent(cost.energy_j / this.whole) : '');
    bytes.forEach((cell, at) => showNumber(cell, cost?.bytes[this.levels[at]], 'B', cost?.why));
    if (!cost)
      [energy, work, ...bytes].forEach(cell => setText(cell, ''));
    setText(known, cost ? KNOWN_MARKS[cost.known] ?? '' : '');
    setAttributes(known, {title: cost && KNOWN_WORDS[cost.known], 'aria-label': cost?.known});
    row.style.setProperty('--heat', cost && this.largest ? String(this.heat(cost) / this.largest) : '0');
    setAttributes(row, {'data-line': line,
                        'aria-label': cost ? `line ${line}, ${quantity(cost.energy_j, 'J')}, ${cost.known}` : undefined});
    this.showCode(code, line);
  }

  /// Each piece of the line is a text in a span.
  private showCode(cell: HTMLElement, line: number) {
    const text = this.shown.lines[line - 1] ?? '', {coloured} = this.shown;
    const key = `${this.shown.path}:${line}:${coloured ? 1 : 0}`;
    if (cell.dataset.key === key)
      return;
    cell.dataset.key = key;
    const pieces = coloured && piecesOf(coloured, line - 1);
    if (!pieces?.some(([kind]) => kind))
      return setText(cell, text);
    let at = 0;
    cell.replaceChildren(...pieces.map(([kind, length]) => {
      const part = text.slice(at, at += length);
      return kind ? make('span', {class: `code-${kind}`}, part) : document.createTextNode(visible(part));
    }));
  }

  private jump(key: string, line: number): boolean {
    if (key !== 'h' && key !== 'H')
      return false;
    const next = key === 'h' ? this.hottest.find(each => each > line) ?? this.hottest[0]
                             : this.hottest.findLast(each => each < line) ?? this.hottest[this.hottest.length - 1];
    if (next)
      this.rows.moveTo(next - 1, true);
    return true;
  }
}
