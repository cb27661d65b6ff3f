// What the chosen function costs, between which bounds, and how that is known.
import {make, placeLink, setText, visible} from './dom';
import {isExact, quantity, ratio, settingText, showNumber, weakest} from './format';
import type {FunctionRow, Interval, Prediction, Program, ProgramFunction} from './contract';
import type {State} from './state';

interface Tile {
  element: HTMLElement;
  value: HTMLElement;
  more: HTMLElement;
}

function tile(id: string, title: string): Tile {
  const value = make('dd', {class: 'total', id: `total-${id}`}), more = make('dd', {class: 'quiet', id: `more-${id}`});
  return {element: make('div', {class: 'tile'}, make('dt', {}, title), value, more), value, more};
}

/// Lists of what a number leaves out, each with its reason.
function notesOf(of: Prediction, checks: ProgramFunction['range_checks']): string[] {
  const listed: [string, string[] | undefined][] = [
    ['Not in the energy, as the profile has no energy of it: ', of.unpriced],
    ['Not in the time, as the profile has no throughput of it: ', of.untimed],
    ['Time and energy are not known, as the profile has no cost of: ', of.not_priced],
    ['Not in time and energy, as the profile is of the processor that runs the kernels: ', of.not_covered],
    ['Intervals are without these errors, which the profile does not state: ', of.error_not_stated],
    ['Estimated by a law and not measured, with its scatter in the intervals: ', of.estimated_costs],
    ['Not given, so CUDA’s default: ', of.defaults && Object.entries(of.defaults).map(([name, value]) => `${name} = ${value}`)],
    ['Traffic is not known: ', of.traffic_unknown ? [of.traffic_unknown] : undefined],
    ['No count is exact, as a loop has no end or a number wraps around at: ', of.wraps],
    ['Counts are exact where numbers fit their types: ', checks.map(each => each.exact_for + (each.at && ` (${each.at})`))],
  ];
  return listed.filter(([, list]) => list?.length).map(([text, list]) => text + list!.join(', '));
}

/// The measured runs that correct a prediction, or why none does.
function runsOf(of: Prediction, chosen: ProgramFunction | undefined, program: Program): string[] {
  if (!of.measured)
    return !chosen?.measured_runs ? [] :
      [`Measured runs are of ${[program.machines[0]?.name, ...Object.entries(program.set).map(([name, value]) => `${name} = ${value}`)].join(', ')}: ` +
       'these numbers are the model’s alone'];
  return [
    ...of.measured.map(run => `Measured at ${settingText(run.setting)}: ` +
      [quantity(run.time_s, 's'), ...(run.energy_j != null ? [quantity(run.energy_j, 'J')] : [])].join(', ') + '; the model alone says ' +
      [quantity(run.model_time_s, 's'), ...(run.energy_j != null ? [quantity(run.model_energy_j, 'J')] : [])].join(', ') + ` (${run.source})`),
    ...(of.measure_next ? [`A further run would tell most at ${settingText(of.measure_next)}`] : []),
  ];
}

export class Totals {
  readonly element: HTMLElement;
  private title = make('h2', {id: 'entry'});
  private where = make('p', {class: 'quiet', id: 'where'});
  /// Values that are needed or estimated, for the drawer.
  readonly needs = make('div', {class: 'needs', id: 'needs', role: 'status'});
  /// What the numbers leave out.
  readonly notes = make('ul', {class: 'notes', id: 'notes'});
  private tiles = {
    time: tile('time', 'Time'), energy: tile('energy', 'Energy'), power: tile('power', 'Power'),
    bound: tile('bound', 'Bound by'), work: tile('work', 'Work W'), traffic: tile('traffic', 'Traffic Q'),
    intensity: tile('intensity', 'Intensity I = W/Q'),
  };

  constructor(private program: Program, private ask: (symbol: string) => void,
              private go: (place: string) => void) {
    this.element = make('section', {id: 'totals', 'aria-labelledby': 'entry'},
      make('div', {class: 'totals-head'}, this.title, this.where),
      make('dl', {class: 'tiles'}, ...Object.values(this.tiles).map(({element}) => element)));
  }

  show(state: State, of: Prediction | null, row: FunctionRow | undefined, problem = '') {
    const chosen = this.program.functions.find(each => each.id === state.function);
    setText(this.title, chosen?.name ?? 'No function');
    const target = ['one call', state.machine && `on ${state.machine}`, state.setting && settingText(state.setting)].filter(Boolean).join(' · ');
    const place = chosen ? `${chosen.file}:${chosen.line}` : '';
    if (this.where.dataset.key !== place + target) {
      this.where.dataset.key = place + target;
      this.where.replaceChildren(place ? placeLink(place, this.go) : '', ` · ${visible(target)}`);
    }
    this.showNeeds(of, problem);
    const missing = of?.unbound.length ? `needs ${of.unbound.join(', ')}` : 'not known';
    this.interval(this.tiles.time, of?.time_s, 's', missing);
    this.interval(this.tiles.energy, of?.energy_j, 'J', missing);
    this.interval(this.tiles.power, of?.power_w, 'W', missing);
    setText(this.tiles.bound.value, of?.bound ?? '–');
    setText(this.tiles.bound.more, of?.bound ? '' : missing);
    const known = of?.known ?? {};
    const isFlops = (key: string) => key.startsWith('flops_'), isBytes = (key: string) => key.startsWith('bytes_');
    const how = (isOne: (key: string) => boolean, unit: string) => [
      weakest(Object.keys(known).filter(isOne).map(key => known[key])) || missing,
      ...Object.entries(of?.intervals ?? {}).filter(([key]) => isOne(key))
        .map(([key, {low, high}]) => `${key} ${quantity(low, unit, 3)} to ${quantity(high, unit, 3)}`)].join(' · ');
    showNumber(this.tiles.work.value, row?.flops, 'flop', missing);
    setText(this.tiles.work.more, how(isFlops, 'flop'));
    this.levels(this.tiles.traffic, Object.entries(of?.counts ?? {}).filter(([key]) => isBytes(key))
                                        .map(([key, value]) => [key.slice(6), value]), 'B', how(isBytes, 'B'));
    this.levels(this.tiles.intensity, Object.entries(of?.intensity ?? {}), 'flop/B', missing);
    const notes = of ? [...runsOf(of, chosen, this.program), ...notesOf(of, chosen?.range_checks ?? [])] : [];
    this.notes.hidden = !notes.length;
    if (this.notes.textContent !== notes.join(''))
      this.notes.replaceChildren(...notes.map(text => make('li', {}, text)));
  }

  private showNeeds(of: Prediction | null, problem: string) {
    const unbound = of?.unbound ?? [], estimated = of?.estimated ?? [];
    const key = problem || JSON.stringify([unbound, of?.unknowns, estimated]);
    if (this.needs.dataset.key === key)
      return;
    this.needs.dataset.key = key;
    this.needs.hidden = !problem && !unbound.length && !estimated.length;
    if (problem)
      return this.needs.replaceChildren(make('p', {class: 'problem'}, problem));
    this.needs.replaceChildren(
      ...this.list(unbound.length === 1 ? 'One value is needed before the cost is known:'
                                        : `${unbound.length} values are needed before the cost is known:`,
                   unbound.map(symbol => of?.unknowns?.find(each => each.symbol === symbol) ?? {symbol})),
      ...this.list(estimated.length === 1 ? 'One value is estimated:' : `${estimated.length} values are estimated, the largest share of the spread first:`,
                   estimated.map(each => ({...each, symbol: each.symbol, text: ` = ${ratio(each.value)}, ${each.source} `}))));
  }

  /// Symbols under a heading, each with a button that goes to its field.
  private list(heading: string, symbols: {symbol: string; at?: string; why?: string; text?: string}[]): HTMLElement[] {
    return !symbols.length ? [] : [make('p', {}, heading), make('ul', {}, ...symbols.map(({symbol, at, why, text}) => {
      const give = make('button', {type: 'button', class: 'link'}, symbol);
      give.addEventListener('click', () => this.ask(symbol));
      return make('li', {}, give, text ?? ' ', at ? placeLink(at, this.go) : '', why ? `${at ? ': ' : ''}${why}` : '');
    }))];
  }

  private interval({value, more}: Tile, of: Interval | undefined, unit: string, missing: string) {
    showNumber(value, of?.value, unit, missing);
    setText(more, !of ? missing : isExact(of) ? 'no error is stated'
                  : of.high == null ? `${quantity(of.low, unit, 3)} or more`
                                    : `${quantity(of.low, unit, 3)} to ${quantity(of.high, unit, 3)}`);
  }

  /// The level farthest from the core in large type, the others beside it.
  private levels({value, more}: Tile, of: [string, number][], unit: string, missing: string) {
    const far = of.find(([level]) => level === 'dram') ?? of[of.length - 1];
    const isRatio = unit === 'flop/B';
    showNumber(value, far?.[1], unit, missing);
    if (far && isRatio)
      setText(value, `${ratio(far[1])} ${unit}`);
    const others = of.filter(each => each !== far)
      .map(([level, number]) => `${level} ${isRatio ? ratio(number, 3) : quantity(number, unit, 3)}`);
    setText(more, far ? [`${far[0]}`, ...others].join(' · ') + (!isRatio ? ` · ${missing}` : '') : missing);
  }
}
