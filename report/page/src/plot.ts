// One plot: a Vega-Lite spec that was compiled to Vega when the page was built, and the rows that fill it.
// Beneath it, the same numbers as a table, for those who cannot see or point.
import * as vega from 'vega';
import {expressionInterpreter} from 'vega-interpreter';
import specs from 'made:plots';
import liteSpecs from 'made:specs';
import {csvOf, download, linkButton, make, setText} from './dom';

export type Rows = Record<string, object[]>;

/// What pointing at a mark shows, and what a click on it does: fields of its row.
interface Datum {
  tip?: string;
  act?: () => void;
}

export interface Table {
  columns: string[];
  rows: {cells: string[]; act?: () => void}[];
}

const TOKENS = ['ink', 'muted', 'grid', 'paper', 'accent', 'other', 'good'];

const tip = make('div', {class: 'tip', role: 'tooltip', hidden: true});

function showTip(event: MouseEvent | null, text: string | undefined) {
  tip.hidden = !event || !text;
  if (tip.hidden || !event)
    return;
  if (!tip.isConnected)
    document.body.append(tip);
  setText(tip, text!);
  const {offsetWidth: width, offsetHeight: height} = tip;
  tip.style.left = `${Math.max(4, Math.min(event.clientX + 12, innerWidth - width - 8))}px`;
  tip.style.top = `${event.clientY + 16 + height > innerHeight ? event.clientY - height - 8 : event.clientY + 16}px`;
}

export class Plot {
  readonly element: HTMLElement;
  private canvas = make('div', {class: 'plot-canvas', role: 'img'});
  private message = make('p', {class: 'quiet plot-message'});
  private note = make('p', {class: 'quiet plot-note'});
  private table = make('table');
  private files = make('span', {class: 'plot-files'}, linkButton('CSV', () => this.saveRows()), ' ', linkButton('Vega-Lite', () => this.saveSpec()));
  private details = make('details', {}, make('summary', {}, 'as a table'), make('div', {class: 'plot-table'}, this.table));
  private view: vega.View | null = null;
  private rows: Rows = {};
  private numbers: Table = {columns: [], rows: []};
  private isSeen = false;
  private isStale = false;
  private width = 0;
  private height?: number;

  constructor(private spec: string, private title: string, private tokens: Record<string, string> = {}) {
    this.element = make('figure', {class: 'plot panel'}, make('figcaption', {}, title), this.message, this.canvas, this.note,
      make('div', {class: 'plot-foot'}, this.details, this.files));
    new IntersectionObserver(entries => {
      this.isSeen = entries[entries.length - 1].isIntersecting;
      if (this.isSeen && this.isStale)
        void this.draw();
    }, {rootMargin: '100px'}).observe(this.element);
    new ResizeObserver(() => {
      const width = Math.floor(this.canvas.clientWidth);
      if (width && width !== this.width) {
        this.width = width;
        if (this.view)
          void this.view.width(width).runAsync();
      }
    }).observe(this.canvas);
    this.details.addEventListener('toggle', () => this.fillTable());
  }

  /// New rows; \p missing says why there are none, \p note what else there is to say,
  /// \p height where the rows ask for one.
  async show(rows: Rows, numbers: Table, missing = '', note = '', height?: number) {
    this.height = height;
    this.rows = rows;
    this.numbers = numbers;
    setText(this.message, missing);
    setText(this.note, note);
    this.message.hidden = !missing;
    this.note.hidden = !note;
    this.canvas.hidden = this.details.hidden = this.files.hidden = !!missing;
    this.canvas.setAttribute('aria-label', `${this.title}: ${numbers.rows.length} points, the table below has them`);
    this.isStale = true;
    if (this.isSeen && !missing)
      await this.draw();
  }

  /// Other colours: everything is drawn anew.
  recolour() {
    this.view?.finalize();
    this.view = null;
    this.isStale = true;
    if (this.isSeen && !this.canvas.hidden)
      void this.draw();
  }

  /// Draws it where it has not been in sight yet: a printed page and a picture of the whole page have all plots.
  async drawUnseen() {
    if (this.isStale)
      await this.draw();
  }

  private async draw() {
    if (this.canvas.hidden)
      return;
    this.isStale = false;
    const view = this.view ??= this.newView();
    for (const [name, rows] of Object.entries(this.rows))
      view.data(name, rows);
    if (this.height)
      view.height(this.height);
    this.fillTable();
    await view.runAsync();
  }

  /// The colours and words that stand in the place of `@name` in specs.
  private words(): Record<string, string> {
    const style = getComputedStyle(document.documentElement);
    return {...this.tokens, ...Object.fromEntries(TOKENS.map(token => [token, style.getPropertyValue(`--${token}`).trim()]))};
  }

  private filled(spec: object): any {
    return JSON.parse(Object.entries(this.words()).reduce((text, [token, value]) => text.replaceAll(`"@${token}"`, JSON.stringify(value)), JSON.stringify(spec)));
  }

  private newView(): vega.View {
    const {ink, muted, grid} = this.words();
    const font = 'system-ui, sans-serif';
    const config: vega.Config = {
      background: 'transparent', style: {cell: {stroke: 'transparent'}, 'guide-label': {font, fill: muted, fontSize: 11},
                                         'guide-title': {font, fill: ink, fontSize: 11, fontWeight: 'normal'}},
      axis: {gridColor: grid, domainColor: muted, tickColor: muted}, text: {font, fontSize: 11},
    };
    const runtime = vega.parse(this.filled(specs[this.spec]), config, {ast: true} as never);
    this.width = Math.floor(this.canvas.clientWidth) || 400;
    const view = new vega.View(runtime, {
      container: this.canvas, renderer: 'svg', hover: true, logLevel: vega.Error,
      expr: expressionInterpreter,
      tooltip: () => {},
    } as vega.ViewOptions);
    view.width(this.width);
    const datum = (item: vega.Item | null | undefined) => (item as {datum?: Datum} | null | undefined)?.datum;
    view.addEventListener('mousemove', (event, item) => showTip(event as unknown as MouseEvent, datum(item)?.tip));
    view.addEventListener('mouseout', () => showTip(null, undefined));
    view.addEventListener('click', (_, item) => datum(item)?.act?.());
    return view;
  }

  private get fileName() {
    return this.title.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');
  }

  private saveRows() {
    const rows = Object.entries(this.rows).flatMap(([data, each]) => each.map(row => ({data, ...row} as Record<string, unknown>)));
    const isPlain = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);
    const columns = [...new Set(rows.flatMap(row => Object.keys(row).filter(key => key !== 'tip' && isPlain(row[key]))))];
    download(`${this.fileName}.csv`, 'text/csv', csvOf([columns, ...rows.map(row => columns.map(key => row[key] as string | undefined))]));
  }

  /// The plot as a Vega-Lite spec, with its rows.
  private saveSpec() {
    const {layer, ...spec} = this.filled(liteSpecs[this.spec]);
    const withRows = (of: {data?: {name: string}}) => (of.data ? {...of, data: {name: of.data.name, values: this.rows[of.data.name] ?? []}} : of);
    const whole = layer ? {...spec, layer: layer.map(withRows)} : withRows(spec);
    download(`${this.fileName}.vl.json`, 'application/json', JSON.stringify(whole, null, 2));
  }

  private fillTable() {
    if (!this.details.open)
      return;
    const {columns, rows} = this.numbers;
    this.table.replaceChildren(
      make('thead', {}, make('tr', {}, ...columns.map(text => make('th', {scope: 'col'}, text)))),
      make('tbody', {}, ...rows.map(({cells, act}) => make('tr', {}, ...cells.map((text, at) => {
        if (at || !act)
          return make('td', {}, text);
        const button = make('button', {type: 'button', class: 'link'}, text);
        button.addEventListener('click', act);
        return make('td', {}, button);
      })))));
  }
}
