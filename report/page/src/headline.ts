// The answer first: what the run costs, what most of it is, and how well that is known.
import {betterThan, clocksOf, knownPoints, pointOf} from './clocks';
import {linkButton, make, placeLink, setAttributes, visible} from './dom';
import {boundText, changeText, clockText, isExact, percent, quantity, weakest} from './format';
import type {Interval, Prediction, Profile, ProfileRow, Program, ProgramFunction, SettingPoint} from './contract';
import type {State} from './state';

/// A part of the bar is shown on its own from this share on.
const LEAST_SHARE = 0.03;
const MOST_PARTS = 8;
/// Where the entry's own code has this share, the sentence does not name it again.
const ALMOST_ALL = 0.99;

interface Part {
  name: string;
  share: number;
  isEstimated: boolean;
  of?: ProgramFunction;
  text: string;
}

/// The function of \p program that a row is of; nothing where it is not shown.
export function functionOf(program: Program, row: ProfileRow): ProgramFunction | undefined {
  if (row.kind !== 'function' && row.kind !== 'kernel')
    return undefined;
  const named = program.functions.filter(({name}) => name === row.name);
  const line = Number(/:(\d+)(?::\d+)?$/.exec(row.at ?? '')?.[1]);
  return named.length > 1 ? named.find(each => each.line === line && each.is_kernel === (row.kind === 'kernel')) ?? named[0] : named[0];
}

/// A name without its parameters and the arguments of templates, for narrow places.
export function shortName(name: string): string {
  let depth = 0, short = '';
  for (const letter of name.replace(/\(anonymous namespace\)::/g, '').replace(/\boperator\(\)/g, 'operator_call')) {
    if (letter === '(' && !depth)
      break;
    depth += letter === '<' ? 1 : 0;
    if (!depth)
      short += letter;
    depth -= letter === '>' && depth ? 1 : 0;
  }
  return short.replace(/^.* (?=\S)/, '').replace('operator_call', 'operator()') || name;
}

export class Headline {
  readonly element: HTMLElement;
  private sentence = make('h1', {id: 'headline'});
  private interval = make('p', {class: 'quiet', id: 'interval'});
  private bar = make('div', {class: 'shares', id: 'shares', role: 'group'});
  private key = '';
  private barKey = '';

  constructor(private program: Program, private change: (patch: Partial<State>) => void,
              private go: (place: string) => void, private showValues: () => void) {
    this.element = make('section', {class: 'answer', 'aria-labelledby': 'headline'}, this.sentence, this.interval, this.bar);
  }

  /// \p entry is what runs; \p isProgram: it is the program and not one call of a function.
  show(entry: ProgramFunction | undefined, isProgram: boolean, of: Prediction | null, profile: Profile | null, points: SettingPoint[],
       state: State, problem: string) {
    const key = JSON.stringify([entry?.id, of?.time_s, of?.energy_j, of?.bound, of?.unbound, of?.not_priced, of?.estimated?.length, of?.known, profile?.rows[0],
                                profile?.estimated_share, points, state.machine, state.setting, problem]);
    if (key === this.key)
      return;
    this.key = key;
    const known = of && (of.energy_j || of.time_s) ? of : null;
    this.sentence.replaceChildren(...(known ? [...this.cost(entry, isProgram, known, state), ...this.most(entry, profile, known), ...this.clocks(points, state)]
                                            : this.unknown(entry, of, state, problem)));
    this.interval.replaceChildren(...this.certainty(of, profile));
    this.showBar(profile, known);
  }

  private cost(entry: ProgramFunction | undefined, isProgram: boolean, of: Prediction, state: State): (Node | string)[] {
    const number = (id: string, interval: Interval | undefined, unit: string) => interval &&
      make('span', {id: `headline-${id}`, 'data-value': interval.value, title: `${interval.value} ${unit}`}, quantity(interval.value, unit, 3));
    const energy = number('energy', of.energy_j, 'J'), time = number('time', of.time_s, 's');
    return [...(isProgram || !entry ? [] : [make('span', {class: 'what'}, shortName(entry.name)), ': ']),
            ...(energy ? [energy, ' in '] : []), ...(time ? [time] : []), state.machine ? ` on ${visible(state.machine)}` : '',
            energy ? '. ' : '; the profile has no energies. '];
  }

  private most(entry: ProgramFunction | undefined, profile: Profile | null, of: Prediction): (Node | string)[] {
    const row = profile?.rows[0];
    if (!row || (row.share >= ALMOST_ALL && functionOf(this.program, row)?.id === entry?.id))
      return of.bound && of.bound !== 'none' ? [`Bound by ${boundText(of.bound)}. `] : [];
    const found = functionOf(this.program, row);
    const name = found && found.id !== entry?.id ? linkButton(shortName(row.name), () => this.change({function: found.id, file: null, line: null}))
                                                 : make('span', {class: 'what'}, found ? 'its own code' : shortName(row.name));
    const place = found ? `${found.file}:${found.line}` : row.at ?? '';
    return [make('em', {}, `${percent(row.share)} is `, name), ...(place ? [' (', placeLink(place, this.go, place.slice(place.lastIndexOf('/') + 1)), ')'] : []),
            row.bound && row.bound !== 'none' ? `, bound by ${boundText(row.bound)}. ` : '. '];
  }

  /// Other clocks, where they save enough.
  private clocks(points: SettingPoint[], state: State): (Node | string)[] {
    const known = knownPoints(points), now = pointOf(known, state.setting), better = betterThan(known, now);
    if (!now || !better)
      return [];
    const take = linkButton(clockText(better, now), () => this.change({setting: clocksOf(better)}));
    take.id = 'better';
    return ['At ', take, ` it would take ${changeText(better.energy_j, now.energy_j)} energy for ${changeText(better.time_s, now.time_s)} time.`];
  }

  private unknown(entry: ProgramFunction | undefined, of: Prediction | null, state: State, problem: string): string[] {
    const why = problem || (of?.unbound.length ? `${of.unbound.length === 1 ? 'a value is' : `${of.unbound.length} values are`} needed: ${of.unbound.join(', ')}`
                           : of?.not_priced ? `the profile has no cost of ${of.not_priced.join(', ')}` : 'no machine is chosen');
    return [visible(`${entry ? `${shortName(entry.name)}: ` : ''}time and energy${state.machine ? ` on ${state.machine}` : ''} are not known, as ${why}.`)];
  }

  /// Intervals, and what they rest on.
  private certainty(of: Prediction | null, profile: Profile | null): (Node | string)[] {
    if (!of)
      return [];
    const range = (what: string, unit: string, interval: Interval | undefined) => !interval || isExact(interval) ? [] :
      [interval.high == null ? `${what} ${quantity(interval.low, unit, 3)} or more`
                               : `${what} ${quantity(interval.low, unit, 3)} to ${quantity(interval.high, unit, 3)}`];
    const ranges = [...range('energy', 'J', of.energy_j), ...range('time', 's', of.time_s)].join(', ');
    const count = of.estimated?.length ?? 0, how = weakest(Object.values(of.known).filter(each => each !== 'estimated')), counts = count ? 'other counts' : 'counts';
    const share = profile?.estimated_share ?? 0;
    const said = [
      ranges ? `${ranges[0].toUpperCase()}${ranges.slice(1)}.` : of.time_s ? 'No error is stated.' : '',
      count ? `${count} ${count === 1 ? 'value is' : 'values are'} estimated${share > 0 ? `; ${share >= 5e-4 ? percent(share) : 'less than 0.1 %'} of the answer rests on that` : ''}.` : '',
      how && (how === 'exact' ? `${counts[0].toUpperCase()}${counts.slice(1)} are exact.` : `Some ${counts} are ${how === 'bound' ? 'bounds' : how}.`),
    ].filter(Boolean).join(' ');
    return count || of.unbound.length ? [`${said} `, linkButton(count ? 'What is uncertain' : 'Give values', this.showValues)] : [said];
  }

  private showBar(profile: Profile | null, of: Prediction | null) {
    const parts = of ? this.partsOf(profile) : [];
    const key = JSON.stringify(parts);
    if (key === this.barKey)
      return;
    this.barKey = key;
    this.bar.hidden = parts.length < 2;
    setAttributes(this.bar, {'aria-label': `Shares of functions by their own code: ${parts.map(({text}) => text).join(', ')}`});
    this.bar.replaceChildren(...parts.map(({name, share, isEstimated, of: found, text}, at) => {
      const part = make(found ? 'button' : 'div', {class: `share${isEstimated ? ' is-estimated' : ''}${found ? '' : ' is-other'}`, title: visible(text),
        ...(found && {type: 'button', 'aria-label': visible(text)})}, ...(share < LEAST_SHARE ? [] : [name, ` ${percent(share)}`]));
      part.style.setProperty('--share', String(share));
      part.style.setProperty('--rank', String(Math.min(at, 5)));
      if (found)
        part.addEventListener('click', () => this.change({function: found.id, file: null, line: null}));
      return part;
    }));
  }

  /// The functions with the largest shares, and all others as one part.
  private partsOf(profile: Profile | null): Part[] {
    const rows = profile?.rows.filter(row => row.share > 0) ?? [];
    const large = rows.filter(row => row.share >= LEAST_SHARE).slice(0, MOST_PARTS), others = rows.slice(large.length);
    const parts: Part[] = large.map(row => ({
      name: shortName(row.name), share: row.share, isEstimated: row.known === 'estimated', of: functionOf(this.program, row),
      text: `${row.name} ${percent(row.share)}${row.known === 'estimated' ? ', estimated' : ''}`}));
    const rest = others.reduce((sum, {share}) => sum + share, 0);
    const name = others.length === 1 ? shortName(others[0].name) : `${others.length} others`;
    return rest > 0 ? [...parts, {name, share: rest, isEstimated: false, text: `${name} ${percent(rest)}`}] : parts;
  }
}
