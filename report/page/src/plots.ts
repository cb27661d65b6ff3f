// Makes the rows of each plot from the model's answers.
import {betterThan, clocksOf, knownPoints, pointOf} from './clocks';
import {make, setOptions, setText} from './dom';
import {clockText, percent, quantity, ratio, settingText, signedPercent} from './format';
import {Plot, type Table} from './plot';
import type {Curve, FunctionRow, Prediction, Program, Roofs, SettingPoint} from './contract';
import type {State} from './state';

/// Points of so many functions are drawn: those with the most energy, and the chosen one.
const MOST_POINTS = 100;
/// Points of less than this ratio of intensities would have names over each other.
const NEAR = 1.7;

interface Kind {
  curve: 'time' | 'arch' | 'power';
  plot: Plot;
  unit: string;
  y: (row: FunctionRow) => number | null | undefined;
}

const per = (above: number | null | undefined, below: number | null | undefined) =>
  (above != null && below != null && below > 0 ? above / below : null);

/// One name for points beside each other.
function nearNames(points: {name: string; x: number; y: number}[]) {
  const named: {name: string; x: number; y: number; last: number}[] = [];
  for (const {name, x, y} of points.toSorted((a, b) => a.x - b.x)) {
    const before = named.at(-1);
    if (before && x < NEAR * before.last)
      Object.assign(before, {name: `${before.name}, ${name}`, last: x});
    else
      named.push({name, x, y, last: x});
  }
  return named;
}

export class Plots {
  private breakdown = new Plot('breakdown', 'Where the energy goes');
  private dvfs = new Plot('dvfs', 'Clocks: time and energy');
  private cache = new Plot('cache', 'How far from the roof');
  private kinds: Kind[] = [
    {curve: 'time', unit: 'flop/s', plot: new Plot('roof', 'Time roofline', {ytitle: 'flop/s'}), y: row => per(row.flops, row.time_s)},
    {curve: 'arch', unit: 'flop/J', plot: new Plot('roof', 'Arch line: energy', {ytitle: 'flop/J'}), y: row => per(row.flops, row.energy_j)},
    {curve: 'power', unit: 'W', plot: new Plot('roof', 'Powerline', {ytitle: 'W'}), y: row => row.power_w},
  ];
  /// What stands beside the functions, and what stands below the source.
  readonly headroom = this.cache.element;
  readonly costs = [this.breakdown.element, this.dvfs.element];
  readonly below: HTMLElement;
  private flops = make('select', {id: 'flops'});
  private unknown = make('span', {class: 'quiet'});

  constructor(private program: Program, private change: (patch: Partial<State>) => void) {
    this.flops.addEventListener('change', () => change({flops: this.flops.value}));
    this.below = make('section', {id: 'roofs', 'aria-labelledby': 'roofs-title'},
      make('div', {class: 'roofs-head'}, make('h2', {id: 'roofs-title'}, 'Roofs'),
           make('label', {for: 'flops'}, 'of'), this.flops, this.unknown),
      ...this.kinds.map(({plot}) => plot.element));
  }

  private get all() {
    return [this.breakdown, this.dvfs, this.cache, ...this.kinds.map(({plot}) => plot)];
  }

  recolour() {
    for (const plot of this.all)
      plot.recolour();
  }

  /// One after the other, as long as \p goesOn.
  async drawUnseen(goesOn: () => boolean) {
    for (const plot of this.all)
      if (goesOn())
        await plot.drawUnseen();
  }

  showBreakdown(of: Prediction | null) {
    const total = of?.energy_j?.value ?? 0;
    const parts = Object.entries(of?.breakdown_j ?? {}).filter(([, joules]) => joules > 0).sort((a, b) => b[1] - a[1])
      .map(([name, joules]) => ({name, label: `${name} ${percent(joules / total)}`, joules, share: percent(joules / total), tip: `${name}\n${quantity(joules, 'J')}\n${percent(joules / total)} of the energy`}));
    const missing = parts.length ? '' : of?.not_priced ? `Not known: the profile has no cost of ${of.not_priced.join(', ')}.`
                                      : of?.unbound.length ? `Needs ${of.unbound.join(', ')}.` : 'Not known.';
    return this.breakdown.show({parts}, {columns: ['part', 'energy', 'share'],
      rows: parts.map(({name, joules, share}) => ({cells: [name, quantity(joules, 'J'), share]}))}, missing, '', 24 * parts.length + 50);
  }

  showSettings(points: SettingPoint[], of: Prediction | null, state: State, why: string) {
    const measured = (of?.measured ?? []).filter(run => run.energy_j != null).map(({setting, time_s, energy_j}) => ({
      time_s, energy_j, tip: `measured, ${settingText(setting)}\n${quantity(time_s, 's')}, ${quantity(energy_j, 'J')}`}));
    const known = knownPoints(points), machine = this.program.machines.find(each => each.name === state.machine);
    const usual = machine && pointOf(known, machine.settings[machine.default]), now = pointOf(known, state.setting), better = betterThan(known, now);
    const beside = usual ?? now;
    const changes = (point: typeof known[number]) => (!beside || point === beside ? '' :
      `${signedPercent(point.energy_j, beside.energy_j)} J, ${signedPercent(point.time_s, beside.time_s)} s`);
    const rows = known.map(point => {
      const setting = clocksOf(point), change = changes(point);
      const kind = point === now ? 'chosen' : point === usual ? 'default' : point === better ? 'better' : point.pareto ? 'front' : 'other';
      return {
        time_s: point.time_s, energy_j: point.energy_j, pareto: point.pareto, setting, kind, change, clocks: settingText(setting),
        text: [clockText(point, beside === point ? null : beside), point === usual ? 'default' : change].filter(Boolean).join(': '),
        tip: `${settingText(setting)}\n${quantity(point.time_s, 's')}, ${quantity(point.energy_j, 'J')}` + (change && `\n${change} to the default`) +
             (point.pareto ? '\non the Pareto front' : '') + '\nclick to choose',
        act: () => this.change({setting}),
      };
    });
    // Names stand on the side where there is room, those of the better setting below.
    const named = rows.filter(({kind}) => kind === 'chosen' || kind === 'default' || kind === 'better');
    const times = rows.map(({time_s}) => time_s), middle = Math.sqrt(Math.min(...times) * Math.max(...times));
    const names = (isLate: boolean, isBelow: boolean) => named.filter(row => (row.time_s > middle) === isLate && (row.kind === 'better') === isBelow);
    const table: Table = {columns: ['setting', 'time', 'energy', 'to the default', 'Pareto front'], rows: rows.map(row => ({
      cells: [settingText(row.setting), quantity(row.time_s, 's'), quantity(row.energy_j, 'J'), row.change, row.pareto ? 'yes' : 'no'], act: row.act}))};
    const unknown = points.length - rows.length;
    return this.dvfs.show({settings: rows, front: rows.filter(({pareto}) => pareto), measured,
                           early: names(false, false), earlyBelow: names(false, true), late: names(true, false), lateBelow: names(true, true)}, table,
                          rows.length > 1 ? '' : rows.length ? 'The profile has one setting of the clocks.' : why || points.find(each => each.why)?.why || 'Not known.',
                          [rows.length ? '◆ chosen  ■ default  ▲ less energy for at most a tenth more time  ‒ ‒ Pareto front' : '',
                           unknown && rows.length ? `${unknown} settings have no known time or energy.` : ''].filter(Boolean).join('\n'));
  }

  async showRoofs(roofs: Roofs, rows: Map<number, FunctionRow>, state: State) {
    setOptions(this.flops, (roofs.classes ?? []).map(value => ({value, text: value})), roofs.flops ?? '');
    setText(this.unknown, roofs.unknown?.length ? `The profile does not say: ${roofs.unknown.join(', ')}.` : '');
    const drawn = this.drawn(rows, state);
    for (const {curve: name, plot, unit, y} of this.kinds) {
      const curve = roofs.curves?.[name] ?? [];
      const points = drawn.map(({row, x, title, share}) => ({x, y: y(row), title, share, isChosen: row.id === state.function}))
        .filter(point => point.y != null && point.y > 0)
        .map(point => ({...point, tip: `${point.title}\nI = ${ratio(point.x)} flop/B\n${quantity(point.y, unit)}`}));
      const balances = this.balancesOf(roofs, name).map((each, at) => ({...each, pixel: 14 * at}));
      await plot.show({curve: curve.map(([x, y]) => ({x, y})), points, balances},
        {columns: ['function', 'I in flop/B', unit], rows: points.slice(0, 20).map(point => ({cells: [point.title, ratio(point.x), quantity(point.y, unit)]}))},
        curve.length ? '' : roofs.why || 'The profile does not say what this needs.',
        points.length ? rows.size > MOST_POINTS ? `The ${points.length} points are the functions with the most energy.` : ''
                      : 'No function has a known point here.');
    }
  }

  private balancesOf({balance}: Roofs, curve: Kind['curve']) {
    const all = curve === 'time' ? [['B τ', balance?.time]] as const
              : curve === 'arch' ? [['B ε', balance?.energy], ['effective B ε', balance?.effective]] as const : [];
    return all.flatMap(([name, x]) => (x ? [{name, x, tip: `${name} = ${ratio(x)} flop/B`}] : []));
  }

  /// The chosen function at each level of memory, below the roofs of all levels.
  showCache(roofs: Roofs, of: Prediction | null, row: FunctionRow | undefined) {
    const flopCeilings = roofs.ceilings?.filter(({kind}) => kind === 'flops') ?? [];
    const widths = roofs.ceilings?.filter(({kind}) => kind === 'bandwidth') ?? [];
    const top = Math.max(0, ...flopCeilings.map(each => each.flops_per_s ?? 0));
    const rate = per(row?.flops, row?.time_s);
    const points = rate ? Object.entries(of?.intensity ?? {}).filter(([, x]) => x > 0)
      .map(([name, x]) => ({name, x, y: rate, tip: `${name}: I = ${ratio(x)} flop/B\n${quantity(rate, 'flop/s')}`})) : [];
    const ridges = widths.map(each => top / each.bytes_per_s!);
    const from = Math.min(...ridges, ...points.map(({x}) => x)) / 8, to = Math.max(...ridges, ...points.map(({x}) => x)) * 8;
    const slopes = widths.map((each, at) => ({name: `${each.name.toUpperCase()} ${quantity(each.bytes_per_s, 'B/s', 3)}`, tip: `${each.name}: ${quantity(each.bytes_per_s, 'B/s')}`,
      ends: [[from, from * each.bytes_per_s!], [ridges[at], top]] as Curve}));
    const flats = flopCeilings.map(each => ({name: `${each.name} ${quantity(each.flops_per_s, 'flop/s', 3)}`, tip: `${each.name}: ${quantity(each.flops_per_s, 'flop/s')}`,
      ends: [[Math.min(...widths.map(width => each.flops_per_s! / width.bytes_per_s!)), each.flops_per_s!], [to, each.flops_per_s!]] as Curve}));
    const peak = flopCeilings.find(each => each.name === roofs.flops)?.flops_per_s ?? top;
    // The lowest of the roofs over the points is what the code could reach.
    const reaches = points.flatMap(point => {
      const width = widths.find(each => each.name === point.name);
      return width ? [{...point, attainable: Math.min(peak, point.x * width.bytes_per_s!)}] : [];
    });
    const tightest = reaches.reduce<typeof reaches[number] | null>((least, each) => (!least || each.attainable < least.attainable ? each : least), null);
    const headroom = tightest && tightest.attainable > tightest.y ? [{x: tightest.x, y: tightest.y}, {x: tightest.x, y: tightest.attainable}] : [];
    const factor = tightest ? `${ratio(tightest.attainable / tightest.y, 2)}×` : '';
    const reach = headroom.length ? [{x: tightest!.x, y: Math.sqrt(tightest!.y * tightest!.attainable), name: `${factor} headroom`}] : [];
    const said = !tightest ? 'The function has no known point here.'
      : `${quantity(tightest.y, 'flop/s', 3)} of ${quantity(tightest.attainable, 'flop/s', 3)} that ${tightest.attainable < peak ? `${tightest.name.toUpperCase()} of the whole machine allows` : 'arithmetic of the whole machine allows'}: ` +
        (headroom.length ? `${factor} headroom.` : 'at its roof.');
    const lines = [...slopes, ...flats];
    const missing = top && widths.length ? '' : roofs.why || 'The profile has no bandwidths of its caches.';
    return this.cache.show({
      ceilings: lines.flatMap(({name, tip, ends}) => ends.map(([x, y]) => ({name, tip, x, y}))),
      labels: slopes.map(({name, ends}) => ({name, x: ends[0][0], y: ends[0][1]})),
      peaks: flats.map(({name, ends}) => ({name, x: ends[1][0], y: ends[1][1]})),
      points, headroom, reach, names: nearNames(points),
    }, {columns: ['roof or level', 'at', 'value'], rows: [
      ...widths.map(each => ({cells: [each.name, 'bandwidth', quantity(each.bytes_per_s, 'B/s')]})),
      ...flopCeilings.map(each => ({cells: [each.name, 'peak', quantity(each.flops_per_s, 'flop/s')]})),
      ...points.map(({name, x, y}) => ({cells: [`this function at ${name}`, `I = ${ratio(x)} flop/B`, quantity(y, 'flop/s')]}))]},
      missing, said);
  }

  private drawn(rows: Map<number, FunctionRow>, state: State) {
    const largest = Math.max(0, ...[...rows.values()].map(row => row.energy_j ?? 0));
    const names = new Map(this.program.functions.map(({id, name}) => [id, name]));
    const wanted = [...rows.values()].filter(row => per(row.flops, row.bytes_dram) && row.time_s != null)
      .sort((a, b) => (b.energy_j ?? 0) - (a.energy_j ?? 0));
    const chosen = wanted.find(({id}) => id === state.function);
    const most = wanted.slice(0, MOST_POINTS).filter(row => row !== chosen);
    return [...most, ...(chosen ? [chosen] : [])].map(row => ({
      row, x: per(row.flops, row.bytes_dram)!, title: names.get(row.id) ?? '', share: largest ? (row.energy_j ?? 0) / largest : 0,
    }));
  }
}
