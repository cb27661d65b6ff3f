// All functions, by what they cost.
import {make, panel, setAttributes, setText} from './dom';
import {quantity, showNumber} from './format';
import {Rows} from './rows';
import type {FunctionRow, Program, ProgramFunction} from './contract';
import type {State} from './state';

interface Line {
  of: ProgramFunction;
  row?: FunctionRow;
}

type Key = 'energy_j' | 'time_s' | 'power_w' | 'flops' | 'name';
const COLUMNS: {key: Key; title: string; unit: string}[] = [
  {key: 'energy_j', title: 'Energy', unit: 'J'}, {key: 'time_s', title: 'Time', unit: 's'},
  {key: 'power_w', title: 'Power', unit: 'W'}, {key: 'flops', title: 'Work', unit: 'flop'},
  {key: 'name', title: 'Function', unit: ''},
];

export class Functions {
  readonly element: HTMLElement;
  private rows: Rows;
  private lines: Line[] = [];
  private numbers = new Map<number, FunctionRow>();
  private largest = 0;
  private state!: State;
  private headings: HTMLElement[];
  private filter = make('input', {type: 'search', placeholder: 'filter by name or file', 'aria-label': 'Filter functions'});
  private summary = make('span', {class: 'quiet', role: 'status'});

  constructor(private program: Program, change: (patch: Partial<State>) => void) {
    this.headings = COLUMNS.map(({key, title}) => {
      const sort = make('button', {type: 'button', class: 'sort'}, title);
      sort.addEventListener('click', () => change({sort: this.state.sort === key ? `-${key}` : key}));
      return make('div', {class: key === 'name' ? '' : 'number'}, sort);
    });
    this.rows = new Rows({
      label: 'Functions: Enter opens the source of one',
      columns: this.headings,
      make: () => COLUMNS.map(({key}) => make('div', {class: key === 'name' ? 'name' : 'number'})),
      fill: (cells, at, row) => this.fill(cells, this.lines[at], row),
      chosen: at => change({function: this.lines[at].of.id, file: null, line: null}),
    });
    this.rows.element.classList.add('functions');
    this.filter.addEventListener('input', () => change({filter: this.filter.value}));
    this.element = panel('functions', 'Functions by energy', this.rows.element);
    this.element.firstElementChild!.append(this.filter, this.summary);
  }

  get byId() {
    return this.numbers;
  }

  idsInSight(): number[] {
    return this.rows.inSight().map(at => this.lines[at].of.id);
  }

  /// New numbers of some functions. Those of the others are no longer true, and the order stays until they are known.
  update(state: State, rows: FunctionRow[]) {
    if (!this.state)
      return this.show(state, rows);
    this.state = state;
    this.numbers = new Map();
    this.add(rows);
  }

  /// Numbers of further functions, for the same values.
  add(rows: FunctionRow[]) {
    for (const row of rows)
      this.numbers.set(row.id, row);
    for (const line of this.lines)
      line.row = this.numbers.get(line.of.id);
    const inSight = new Set(this.idsInSight());
    if (rows.some(({id}) => inSight.has(id)))
      this.rows.refresh();
  }

  show(state: State, rows?: FunctionRow[]) {
    const before = this.state;
    this.state = state;
    if (rows) {
      this.numbers = new Map(rows.map(row => [row.id, row]));
      this.largest = Math.max(0, ...rows.map(row => row.energy_j ?? 0));
    }
    if (this.filter.value !== state.filter)
      this.filter.value = state.filter;
    this.lines = this.sorted(state);
    const key = state.sort.replace(/^-/, '');
    this.headings.forEach((heading, at) => setAttributes(heading, {
      'aria-sort': COLUMNS[at].key !== key ? 'none' : state.sort.startsWith('-') === (key === 'name') ? 'descending' : 'ascending',
    }));
    const unknown = this.lines.filter(({row}) => row && row.energy_j == null).length;
    setText(this.summary, `${this.lines.length} of ${this.program.functions.length}` +
                          (unknown ? `, ${unknown} without an energy` : ''));
    this.rows.setCount(this.lines.length);
    if (!before || before.function !== state.function)
      this.rows.moveTo(Math.max(0, this.lines.findIndex(({of}) => of.id === state.function)), true, false);
  }

  private sorted(state: State): Line[] {
    const wanted = state.filter.toLowerCase();
    const lines: Line[] = this.program.functions
      .filter(({name, file}) => !wanted || name.toLowerCase().includes(wanted) || file.toLowerCase().includes(wanted))
      .map(of => ({of, row: this.numbers.get(of.id)}));
    const isTurned = state.sort.startsWith('-');
    const key = (isTurned ? state.sort.slice(1) : state.sort) as Key;
    const turn = isTurned ? -1 : 1;
    if (key === 'name')
      return lines.sort((a, b) => turn * (a.of.name < b.of.name ? -1 : a.of.name > b.of.name ? 1 : a.of.id - b.of.id));
    // Unknown values come last in either order.
    const number = ({row}: Line) => row?.[key] ?? -turn * Infinity;
    return lines.sort((a, b) => (number(a) === number(b) ? a.of.id - b.of.id : turn * (number(b) - number(a))));
  }

  private fill(cells: HTMLElement[], {of, row}: Line, element: HTMLElement) {
    const isChosen = of.id === this.state.function;
    element.classList.toggle('chosen', isChosen);
    setAttributes(element, {'aria-selected': String(isChosen), 'data-function': of.mangled});
    const why = !row ? 'being computed' : row.why ?? (row.unbound?.length ? `needs ${row.unbound.join(', ')}`
                             : row.unpriced?.length ? `no cost of ${row.unpriced.join(', ')}`
                             : row.estimated?.length ? `estimated: ${row.estimated.join(', ')}` : '');
    COLUMNS.forEach(({key, unit}, at) => {
      const cell = cells[at];
      if (key === 'name') {
        setText(cell, `${of.is_kernel ? '▸ ' : ''}${of.name}`);
        setAttributes(cell, {title: `${of.name}\n${of.file}:${of.line}${why ? `\n${why}` : ''}`});
      } else {
        showNumber(cell, row?.[key], unit, why);
      }
    });
    if (row && row.energy_j == null && why)
      setText(cells[0], 'unknown');
    cells[0].style.setProperty('--bar', this.largest ? `${100 * (row?.energy_j ?? 0) / this.largest}%` : '0%');
    setAttributes(element, {'aria-label': `${of.name}, ${row?.energy_j != null ? quantity(row.energy_j, 'J') : why || 'not known'}`});
  }
}
