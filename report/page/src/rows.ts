// A list of rows of one height, of which only the visible ones exist. The arrow keys move through
// it, and screen readers get the row's position among all rows.
import {make, setAttributes} from './dom';

const SPARE = 6;

export interface RowsOptions {
  label: string;
  columns: HTMLElement[];                         ///< the cells of the heading
  make: () => HTMLElement[];                      ///< the cells of a row, made once
  fill: (cells: HTMLElement[], at: number, row: HTMLElement) => void;
  chosen?: (at: number) => void;                  ///< Enter, or a click
  moved?: (at: number) => void;                   ///< the current row is another
  hovered?: (at: number | null) => void;
  key?: (event: KeyboardEvent, at: number) => boolean; ///< further keys; true where used
}

export class Rows {
  readonly element: HTMLElement;
  private heading = make('div', {class: 'row heading', role: 'row', 'aria-rowindex': 1});
  private body = make('div', {class: 'rows-body', role: 'rowgroup'});
  private shown: {row: HTMLElement; cells: HTMLElement[]}[] = [];
  private count = 0;
  private current = 0;
  private height = 20;
  private static made = 0;
  private readonly name = `rows${Rows.made++}`;

  constructor(private options: RowsOptions) {
    this.element = make('div', {class: 'rows', role: 'grid', tabindex: 0, 'aria-label': options.label}, this.heading, this.body);
    this.setColumns(options.columns);
    this.element.addEventListener('scroll', () => this.refresh(), {passive: true});
    this.element.addEventListener('keydown', event => this.pressed(event));
    this.body.addEventListener('click', event => this.clicked(event));
    this.body.addEventListener('mouseover', event => this.options.hovered?.(this.indexOf(event)));
    this.body.addEventListener('mouseleave', () => this.options.hovered?.(null));
    new ResizeObserver(() => this.refresh()).observe(this.element);
  }

  /// Other columns: all rows are made anew.
  setColumns(columns: HTMLElement[]) {
    for (const column of columns)
      setAttributes(column, {role: 'columnheader'});
    this.heading.replaceChildren(...columns);
    this.body.replaceChildren();
    this.shown = [];
  }

  /// Says how many rows there are, and shows those in sight anew.
  setCount(count: number) {
    this.count = count;
    this.current = Math.max(0, Math.min(this.current, count - 1));
    setAttributes(this.element, {'aria-rowcount': count + 1});
    this.height = parseFloat(getComputedStyle(this.element).getPropertyValue('--row')) || 20;
    this.body.style.height = `${count * this.height}px`;
    this.refresh();
  }

  get hasColumns() {
    return this.heading.childElementCount > 0;
  }

  get at() {
    return this.current;
  }

  inSight(): number[] {
    const first = Math.floor(this.element.scrollTop / this.height);
    const last = Math.min(this.count, Math.ceil((this.element.scrollTop + this.element.clientHeight) / this.height));
    return Array.from({length: Math.max(0, last - first)}, (_, at) => first + at);
  }

  /// Makes a row the current one and brings it into sight.
  moveTo(at: number, centre = false, tell = true) {
    this.current = Math.max(0, Math.min(at, this.count - 1));
    const top = this.current * this.height, seen = this.element.clientHeight - this.headHeight();
    const {scrollTop} = this.element;
    if (centre && (top < scrollTop || top + this.height > scrollTop + seen))
      this.element.scrollTop = top - seen / 3;
    else if (top < scrollTop)
      this.element.scrollTop = top;
    else if (top + this.height > scrollTop + seen)
      this.element.scrollTop = top + this.height - seen;
    this.refresh();
    if (tell)
      this.options.moved?.(this.current);
  }

  /// Fills the rows in sight.
  refresh() {
    const first = Math.max(0, Math.floor(this.element.scrollTop / this.height) - SPARE);
    const last = Math.min(this.count, Math.ceil((this.element.scrollTop + this.element.clientHeight) / this.height) + SPARE);
    const needed = Math.max(0, last - first);
    while (this.shown.length < needed)
      this.shown.push(this.newRow());
    this.shown.forEach(({row, cells}, slot) => {
      // A row keeps its place modulo the number of rows, so that scrolling by one line moves one row.
      const at = first + ((slot - first % this.shown.length + this.shown.length) % this.shown.length);
      row.hidden = at >= last;
      if (row.hidden)
        return;
      row.style.top = `${at * this.height}px`;
      setAttributes(row, {id: `${this.name}-${at}`, 'aria-rowindex': at + 2, 'data-at': at});
      row.classList.toggle('current', at === this.current);
      this.options.fill(cells, at, row);
    });
    setAttributes(this.element, {'aria-activedescendant': this.count ? `${this.name}-${this.current}` : undefined});
  }

  private headHeight() {
    return this.heading.offsetHeight;
  }

  private newRow() {
    const cells = this.options.make();
    for (const cell of cells)
      setAttributes(cell, {role: 'gridcell'});
    const row = make('div', {class: 'row', role: 'row'}, ...cells);
    this.body.append(row);
    return {row, cells};
  }

  private indexOf(event: Event): number | null {
    const row = (event.target as Element).closest<HTMLElement>('.row');
    return row ? Number(row.dataset.at) : null;
  }

  private clicked(event: Event) {
    const at = this.indexOf(event);
    if (at == null)
      return;
    this.current = at;
    this.refresh();
    this.options.moved?.(at);
    this.options.chosen?.(at);
  }

  private pressed(event: KeyboardEvent) {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== this.element)
      return;
    const page = Math.max(1, Math.floor((this.element.clientHeight - this.headHeight()) / this.height) - 1);
    const steps: Record<string, number> = {ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page,
                                           Home: -this.count, End: this.count};
    if (event.key in steps)
      this.moveTo(this.current + steps[event.key]);
    else if (event.key === 'Enter' || event.key === ' ')
      this.options.chosen?.(this.current);
    else if (!this.options.key?.(event, this.current))
      return;
    event.preventDefault();
  }
}
