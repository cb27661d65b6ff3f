// All functions, by what they cost: in the run of the program, or one call of each where there is no program.
import {csvOf, download, linkButton, make, panel, setAttributes, setText} from './dom';
import {boundText, percent, quantity, showNumber} from './format';
import {functionOf} from './headline';
import {Rows} from './rows';
import type {FunctionRow, Profile, ProfileRow, Program, ProgramFunction} from './contract';
import type {State} from './state';

/// A row: a function that is shown, or what else a run consists of.
interface Line {
  name: string;
  of?: ProgramFunction;
  row?: FunctionRow;          ///< one call of it
  part?: ProfileRow;          ///< its part of the run
}

type Key = 'name' | 'energy_j' | 'share' | 'total' | 'time_s' | 'power_w' | 'flops' | 'bound';
interface Column {
  key: Key;
  title: string;
  unit: string;
  about?: string;
}
const NAME: Column = {key: 'name', title: 'Function', unit: ''}, BOUND: Column = {key: 'bound', title: 'Bound', unit: ''};
const OF_RUN: Column[] = [
  NAME, {key: 'energy_j', title: 'Energy', unit: 'J', about: 'of its own code'}, {key: 'share', title: 'Share', unit: '%', about: 'of the run, by its own code'},
  {key: 'total', title: 'With calls', unit: '%', about: 'share of the run with what it calls'}, {key: 'time_s', title: 'Time', unit: 's', about: 'of its own code'}, BOUND,
];
const OF_CALL: Column[] = [
  NAME, {key: 'energy_j', title: 'Energy', unit: 'J', about: 'of one call, with what it calls'}, {key: 'time_s', title: 'Time', unit: 's', about: 'of one call, with what it calls'},
  {key: 'power_w', title: 'Power', unit: 'W'}, {key: 'flops', title: 'Work', unit: 'flop'}, BOUND,
];

export class Functions {
  readonly element: HTMLElement;
  private rows: Rows;
  private lines: Line[] = [];
  private numbers = new Map<number, FunctionRow>();
  private profile: Profile | null = null;
  private parts = new Map<number, ProfileRow>();
  private largest = 0;
  private state!: State;
  private columns: Column[];
  private headings: HTMLElement[];
  private filter = make('input', {type: 'search', placeholder: 'filter by name or file', 'aria-label': 'Filter functions'});
  private summary = make('span', {class: 'quiet', role: 'status'});

  /// \p isRun: a program's run is known by its parts.
  constructor(private program: Program, private isRun: boolean, change: (patch: Partial<State>) => void) {
    this.columns = isRun ? OF_RUN : OF_CALL;
    this.headings = this.columns.map(({key, title, about}) => {
      const sort = make('button', {type: 'button', class: 'sort', title: about}, title);
      sort.addEventListener('click', () => change({sort: this.state.sort === key ? `-${key}` : key}));
      return make('div', {class: key === 'name' ? '' : 'number'}, sort);
    });
    this.rows = new Rows({
      label: 'Functions: Enter opens the source of one',
      columns: this.headings,
      make: () => this.columns.map(({key}) => make('div', {class: key === 'name' ? 'name' : `number of-${key}`})),
      fill: (cells, at, row) => this.fill(cells, this.lines[at], row),
      chosen: at => {
        const {of} = this.lines[at];
        if (of)
          change({function: of.id, file: null, line: null});
      },
    });
    this.rows.element.classList.add('functions', isRun ? 'of-run' : 'of-call');
    this.filter.addEventListener('input', () => change({filter: this.filter.value}));
    this.element = panel('functions', isRun ? 'Functions of the run' : 'Functions, one call of each', this.rows.element);
    this.element.firstElementChild!.append(this.filter, this.summary, linkButton('CSV', () => this.save()));
  }

  get byId() {
    return this.numbers;
  }

  idsInSight(): number[] {
    return this.rows.inSight().flatMap(at => this.lines[at].of?.id ?? []);
  }

  /// New parts of the run; nothing where they are not known.
  setProfile(profile: Profile | null) {
    this.profile = this.isRun ? profile : null;
    this.parts = new Map();
    for (const part of this.profile?.rows ?? []) {
      const of = functionOf(this.program, part);
      if (of && !this.parts.has(of.id))
        this.parts.set(of.id, part);
    }
  }

  /// New numbers of some functions. Those of the others are no longer true, and the order stays until they are known.
  update(state: State, rows: FunctionRow[]) {
    if (!this.state || this.isRun)
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
      line.row = line.of && this.numbers.get(line.of.id);
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
      'aria-sort': this.columns[at].key !== key ? 'none' : state.sort.startsWith('-') === (key === 'name') ? 'descending' : 'ascending',
    }));
    const unknown = this.isRun ? 0 : this.lines.filter(({row}) => row && row.energy_j == null).length;
    const notRun = this.profile ? this.lines.filter(({part}) => !part).length : 0;
    setText(this.summary, [`${this.lines.length} of ${Math.max(this.lines.length, this.program.functions.length)}`, unknown ? `${unknown} without an energy` : '',
                           notRun ? `${notRun} not called` : ''].filter(Boolean).join(', '));
    this.rows.setCount(this.lines.length);
    if (!before || before.function !== state.function)
      this.rows.moveTo(Math.max(0, this.lines.findIndex(({of}) => of?.id === state.function)), true, false);
  }

  /// What a row has in a column.
  private valueOf({row, part}: Line, key: Key): number | null | undefined {
    if (!this.isRun)
      return key === 'share' || key === 'total' || key === 'name' || key === 'bound' ? null : row?.[key];
    const {energy_j: energy, time_s: time} = this.profile?.sum ?? {};
    switch (key) {
    case 'energy_j': case 'time_s':
      return part?.self[key];
    case 'share':
      return part?.share;
    case 'total':
      return !part ? null : energy ? (part.total.energy_j ?? 0) / energy : time ? (part.total.time_s ?? 0) / time : null;
    default:
      return null;
    }
  }

  private sorted(state: State): Line[] {
    const wanted = state.filter.toLowerCase();
    const others: Line[] = (this.profile?.rows ?? []).filter(part => !functionOf(this.program, part) && part.share > 0)
      .map(part => ({name: part.name, part}));
    const lines = [...this.program.functions.map((of): Line => ({name: of.name, of, row: this.numbers.get(of.id), part: this.parts.get(of.id)})), ...others]
      .filter(({name, of}) => !wanted || name.toLowerCase().includes(wanted) || of?.file.toLowerCase().includes(wanted));
    const isTurned = state.sort.startsWith('-');
    const key = (isTurned ? state.sort.slice(1) : state.sort) as Key;
    const turn = isTurned ? -1 : 1;
    const rank = ({of}: Line) => of?.id ?? Infinity;
    const text = (line: Line) => (key === 'bound' ? this.boundOf(line) : line.name);
    if (key === 'name' || key === 'bound')
      return lines.sort((a, b) => turn * (text(a) < text(b) ? -1 : text(a) > text(b) ? 1 : rank(a) < rank(b) ? -1 : 1));
    // Unknown values come last in either order; where there is no energy, time tells.
    const by = this.isRun && key === 'energy_j' && this.profile && this.profile.sum.energy_j == null ? 'share' : key;
    const number = (line: Line) => this.valueOf(line, by) ?? -turn * Infinity;
    return lines.sort((a, b) => (number(a) === number(b) ? (rank(a) < rank(b) ? -1 : 1) : turn * (number(b) - number(a))));
  }

  private boundOf({row, part}: Line) {
    const bound = this.isRun ? part?.bound : row?.bound;
    return bound && bound !== 'none' ? boundText(bound) : '';
  }

  private whyOf({row, part}: Line) {
    if (this.isRun)
      return !this.profile ? 'not known' : part ? (part.known === 'estimated' ? 'rests on estimates' : '') : 'not called in this run';
    return !row ? 'being computed' : row.why ?? (row.unbound?.length ? `needs ${row.unbound.join(', ')}`
           : row.unpriced?.length ? `no cost of ${row.unpriced.join(', ')}`
           : row.estimated?.length ? `estimated: ${row.estimated.join(', ')}` : '');
  }

  private isEstimated({row, part}: Line) {
    return this.isRun ? part?.known === 'estimated' : !!row?.estimated?.length;
  }

  private fill(cells: HTMLElement[], line: Line, element: HTMLElement) {
    const {of, name} = line, isChosen = of?.id === this.state.function, why = this.whyOf(line);
    element.classList.toggle('chosen', isChosen);
    element.classList.toggle('is-estimated', this.isEstimated(line));
    setAttributes(element, {'aria-selected': String(isChosen), 'data-function': of?.mangled});
    this.columns.forEach(({key, unit}, at) => {
      const cell = cells[at], value = this.valueOf(line, key);
      if (key === 'name') {
        setText(cell, `${of?.is_kernel ? '▸ ' : ''}${name}`);
        setAttributes(cell, {title: [name, of ? `${of.file}:${of.line}` : line.part?.at, why].filter(Boolean).join('\n')});
      } else if (key === 'bound') {
        setText(cell, this.boundOf(line));
      } else {
        showNumber(cell, value, unit === '%' ? '' : unit, why);
        if (unit === '%' && value != null)
          setText(cell, percent(value));
      }
    });
    const energy = this.valueOf(line, 'energy_j'), bar = this.isRun ? line.part?.share ?? 0 : this.largest ? (energy ?? 0) / this.largest : 0;
    if (!this.isRun && line.row && energy == null && why)
      setText(cells[1], 'unknown');
    cells[this.isRun ? 2 : 1].style.setProperty('--bar', `${100 * bar}%`);
    setAttributes(element, {'aria-label': `${name}, ${energy != null ? quantity(energy, 'J') : why || 'not known'}`});
  }

  private save() {
    const keys = this.columns.filter(({key}) => key !== 'name' && key !== 'bound').map(({key}) => key);
    download('functions.csv', 'text/csv', csvOf([['name', 'at', ...keys, 'bound'],
      ...this.lines.map(line => [line.name, line.of ? `${line.of.file}:${line.of.line}` : line.part?.at, ...keys.map(key => this.valueOf(line, key)), this.boundOf(line)])]));
  }
}
