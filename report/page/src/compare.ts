// Another report beside this one: what became of each function, before and after.
import {Engine, failed} from './engine';
import {linkButton, make, panel, setText} from './dom';
import {changeText, percent, quantity, signedPercent} from './format';
import {shortName} from './headline';
import {programOf} from './state';
import type {Given, PartCost, Profile, Program} from './contract';

/// A change of a function is shown from this share of the run on.
const LEAST_CHANGE = 0.001;
const MOST_ROWS = 40;

interface Other {
  name: string;
  program: Program;
  engine: Engine;
}

/// The data of the report in \p text.
function dataOf(text: string): string {
  const found = /<script type="text\/plain" id="ergon-data">([^<]*)<\/script>/.exec(text);
  if (!found)
    throw new Error('it is no page of `ergon report`');
  return found[1];
}

export class Comparison {
  readonly button = make('button', {type: 'button', id: 'compare'}, 'Compare …');
  readonly element = panel('comparison', 'Before and after');
  private file = make('input', {type: 'file', accept: '.html', hidden: true, 'aria-label': 'The report of the program as it was before'});
  private summary = make('p', {class: 'compared'});
  private table = make('table', {class: 'comparison'});
  private other: Other | null = null;
  private latest = 0;

  /// \p again asks for show() with the numbers of now.
  constructor(private wasm: string, private again: () => void) {
    this.button.addEventListener('click', () => this.file.click());
    this.file.addEventListener('change', () => void this.open(this.file.files?.[0]));
    this.element.firstElementChild!.append(linkButton('close', () => this.close()));
    this.element.append(this.file, this.summary, make('div', {class: 'comparison-rows', tabindex: 0, role: 'region', 'aria-label': 'Functions before and after'}, this.table));
    this.element.hidden = true;
  }

  private async open(file: File | undefined) {
    if (!file)
      return;
    this.close();
    this.element.hidden = false;
    this.say(`Reads ${file.name} …`);
    try {
      const engine = await Engine.start(this.wasm, dataOf(await file.text()));
      const program = await engine.ask<Program>({do: 'program'});
      if (failed(program))
        throw new Error(program.error);
      this.other = {name: file.name, program, engine};
      this.again();
    } catch (problem) {
      this.say(`${file.name} cannot be compared: ${problem instanceof Error ? problem.message : problem}`);
    }
    this.file.value = '';
  }

  private close() {
    this.other?.engine.end();
    this.other = null;
    this.element.hidden = true;
  }

  private say(text: string) {
    setText(this.summary, text);
    this.table.replaceChildren();
  }

  /// \p now is the profile of \p entry, a mangled name, for the values \p given; the other report is asked for the same.
  async show(entry: string | undefined, now: Profile | null, given: Given) {
    const other = this.other, turn = ++this.latest;
    if (!other)
      return;
    const same = other.program.functions.find(({mangled}) => mangled === entry) ?? programOf(other.program);
    if (!now || !same)
      return this.say(now ? `${other.name} has no such function.` : 'Time and energy of now are not known.');
    const isOffered = other.program.machines.some(({name}) => name === given.machine);
    const before = isOffered ? await other.engine.ask<Profile>({do: 'top', function: same.id, ...given}) : {error: `it has no machine ${given.machine}`};
    if (turn !== this.latest || other !== this.other)
      return;
    if (failed(before))
      return this.say(`${other.name}: ${before.error}.`);
    this.fill(other.name, before, now);
  }

  private fill(name: string, before: Profile, now: Profile) {
    const change = (what: string, unit: string, was: number | undefined, is: number | undefined) => was == null || is == null ? '' :
      `${quantity(is, unit, 3)}, in ${name} ${quantity(was, unit, 3)}: ${changeText(is, was)} ${what}`;
    setText(this.summary, [change('energy', 'J', before.sum.energy_j, now.sum.energy_j), change('time', 's', before.sum.time_s, now.sum.time_s)]
      .filter(Boolean).join('; ') + '.');
    const key: keyof PartCost = now.sum.energy_j != null && before.sum.energy_j != null ? 'energy_j' : 'time_s', unit = key === 'energy_j' ? 'J' : 's';
    const costs = (of: Profile) => {
      const sums = new Map<string, number>();
      for (const row of of.rows)
        sums.set(row.name, (sums.get(row.name) ?? 0) + (row.self[key] ?? 0));
      return sums;
    };
    const was = costs(before), is = costs(now), whole = before.sum[key] ?? 0;
    const rows = [...new Set([...was.keys(), ...is.keys()])]
      .map(each => ({name: each, was: was.get(each), is: is.get(each), change: (is.get(each) ?? 0) - (was.get(each) ?? 0)}))
      .filter(row => Math.abs(row.change) >= LEAST_CHANGE * whole)
      .sort((a, b) => Math.abs(b.change) - Math.abs(a.change)).slice(0, MOST_ROWS);
    const head = ['Function', 'Before', 'After', 'Change', 'of the run before'];
    this.table.replaceChildren(make('thead', {}, make('tr', {}, ...head.map(text => make('th', {scope: 'col'}, text)))),
      make('tbody', {}, ...rows.map(row => make('tr', {'data-function': row.name, 'data-change': row.change},
        make('th', {scope: 'row', title: row.name}, shortName(row.name)),
        ...[row.was == null ? 'not there' : quantity(row.was, unit, 3), row.is == null ? 'not there' : quantity(row.is, unit, 3),
            row.was && row.is != null ? signedPercent(row.is, row.was) : '', `${row.change < 0 ? '−' : '+'}${percent(Math.abs(row.change) / whole)}`].map(text => make('td', {}, text))))));
    if (!rows.length)
      this.table.replaceChildren(make('caption', {}, 'No function changed.'));
  }
}
