// Connects the parts: one state, and after each change the questions to the model. Questions about
// visible parts come first.
import {AdviceList} from './advice';
import {Comparison} from './compare';
import {Controls} from './controls';
import {make, setAttributes, setText} from './dom';
import {Engine, failed} from './engine';
import {Functions} from './functions';
import {Headline} from './headline';
import {Loops} from './loops';
import {Plots} from './plots';
import {SourceView} from './source';
import {givenOf, hashOf, programOf, stateFrom, type State} from './state';
import {themeButton} from './theme';
import {Totals} from './totals';
import type {Failure, FunctionRow, LinesAnswer, Loop, Prediction, Profile, Program, Roofs, SettingPoint, Source} from './contract';

interface Settings {
  points: SettingPoint[];
  why?: string;
}

/// The longest time, in ms, that a change waits for functions that are not visible, where each
/// takes less.
const SLICE_MS = 8;
/// After this time, in ms, the page says that it computes.
const SAY_AFTER_MS = 300;
/// The longest time, in ms, that one question to the model keeps another change waiting. After that
/// the model is restarted.
const PATIENCE_MS = 1000;
const WAIT_FOR_ADDRESS_MS = 250;

/// When the next frame has been laid out and painted.
const painted = () => new Promise<void>(resolve => requestAnimationFrame(() => {
  const {port1, port2} = new MessageChannel();
  port1.onmessage = () => resolve();
  port2.postMessage(null);
}));

class Page {
  private state: State;
  /// What runs; nothing where each call of a function is on its own.
  private entry: number | undefined;
  private headline: Headline;
  private comparison: Comparison;
  private advice: AdviceList;
  private profile: Profile | null = null;
  private controls: Controls;
  private totals: Totals;
  private functions: Functions;
  private source: SourceView;
  private loops: Loops;
  private plots: Plots;
  /// Whether the user has chosen what is shown; until then it is the program, or the function that costs most.
  private isChosen: boolean;
  private isRunning = false;
  private isStale = false;
  private changedAt = 0;
  private addressTimer = 0;
  private patienceTimer = 0;
  private sayTimer = 0;
  private computing = make('span', {class: 'quiet', id: 'computing', role: 'status'});
  private main: HTMLElement;
  private lastHash = '';
  /// Answers that do not change with each value.
  private roofs = new Map<string, Roofs>();
  private loopsOf = new Map<number, Loop[]>();
  private shownRoofs: Roofs = {ceilings: []};
  private lines: LinesAnswer = {files: []};
  private wholeEnergy?: number;
  private loopList: Loop[] = [];
  private shownFunction = -1;
  private uncoloured: Source | null = null;
  private pointed: {path: string; line: number | null} = {path: '', line: null};

  constructor(private program: Program, private engine: Engine, wasm: string, root: HTMLElement) {
    this.state = stateFrom(location.hash, program);
    this.isChosen = new URLSearchParams(location.hash.slice(1)).has('function');
    const change = (patch: Partial<State>) => this.change(patch);
    const go = (place: string) => this.go(place);
    this.entry = programOf(program)?.id;
    this.totals = new Totals(program, symbol => this.controls.focus(symbol), go);
    this.controls = new Controls(program, () => this.state.set, change, go, this.totals.needs);
    this.headline = new Headline(program, change, go, () => this.controls.open());
    this.advice = new AdviceList(program, go);
    this.comparison = new Comparison(wasm, () => this.compare());
    this.functions = new Functions(program, this.entry !== undefined, change);
    this.source = new SourceView(program, change, (path, line) => this.pointAt(path, line));
    const names = new Map(program.functions.map(({mangled, name}) => [mangled, name]));
    this.loops = new Loops(mangled => names.get(mangled) ?? mangled, go);
    this.plots = new Plots(program, change);
    const theme = themeButton(() => this.plots.recolour());
    this.main = make('main', {}, this.headline.element, this.controls.element, this.comparison.element, this.advice.element,
      make('div', {class: 'pair-of-panels'}, this.functions.element, this.plots.headroom),
      this.totals.element, this.source.element,
      make('div', {class: 'pair-of-panels'}, ...this.plots.costs), this.plots.below, this.loops.element, this.totals.notes);
    root.replaceChildren(
      make('header', {class: 'top'}, make('span', {class: 'brand'}, 'Ergon'), make('span', {class: 'title'}, program.title ?? 'report'),
           make('span', {class: 'quiet'}, `${program.functions.length} function${program.functions.length === 1 ? '' : 's'} · ${program.compiler}`), this.computing,
           this.controls.target, this.comparison.button, theme), this.main);
    addEventListener('beforeprint', () => void this.plots.drawUnseen(() => true));
    addEventListener('hashchange', () => this.readAddress());
    void this.run();
  }

  private get chosen() {
    return this.program.functions.find(each => each.id === this.state.function);
  }

  private change(patch: Partial<State>) {
    this.isChosen = true;
    const before = this.state;
    this.state = {...before, ...(patch.machine && {flops: ''}), ...patch};
    clearTimeout(this.addressTimer);
    this.addressTimer = window.setTimeout(() => this.writeAddress(), WAIT_FOR_ADDRESS_MS);
    const needsModel = (['function', 'machine', 'setting', 'set', 'file', 'flops'] as const).some(key => before[key] !== this.state[key] &&
      !(key === 'file' && this.state.file === this.source.path));
    if (needsModel)
      this.recompute();
    else if (before.sort !== this.state.sort || before.filter !== this.state.filter)
      this.functions.show(this.state);
  }

  private writeAddress() {
    this.lastHash = hashOf(this.state, this.program);
    if (location.hash !== this.lastHash)
      history.replaceState(null, '', this.lastHash);
  }

  private readAddress() {
    if (location.hash === this.lastHash)
      return;
    this.state = stateFrom(location.hash, this.program);
    this.recompute();
  }

  /// Shows a place: `file:line:column`, or `file:line`.
  private go(place: string) {
    const found = /^(.*?):(\d+)(?::\d+)?$/.exec(place);
    if (!found)
      return;
    this.change({file: found[1], line: Number(found[2])});
    if (this.source.path === found[1])
      this.source.moveTo(Number(found[2]));
    this.source.focus();
  }

  private recompute() {
    this.isStale = true;
    this.changedAt ||= performance.now();
    if (this.isRunning)
      this.watch();
    else
      void this.run();
  }

  /// Abandons the run that waits for the model once that takes too long, and begins another with a
  /// new model.
  private watch() {
    clearTimeout(this.patienceTimer);
    if (!this.isStale)
      return;
    const left = PATIENCE_MS - this.engine.busyMs;
    if (left > 0) {
      this.patienceTimer = window.setTimeout(() => this.watch(), left);
      return;
    }
    this.engine.restart();
    void this.run();
  }

  /// Says after a while what is waited for, and that numbers in \p where are those of other values.
  private say(what = '', where: Element = this.main) {
    clearTimeout(this.sayTimer);
    setText(this.computing, '');
    for (const each of [this.main, this.functions.element])
      setAttributes(each, {'aria-busy': undefined});
    if (what)
      this.sayTimer = window.setTimeout(() => {
        setText(this.computing, what);
        setAttributes(where, {'aria-busy': 'true'});
      }, SAY_AFTER_MS);
  }

  /// Answers the newest state: first what is in sight, then the other functions, until another change.
  private async run() {
    this.isRunning = true;
    document.documentElement.dataset.busy = '';
    try {
      do {
        this.isStale = false;
        const since = this.changedAt, state = this.state;
        this.changedAt = 0;
        this.say('computing …');
        await this.showInSight(state);
        await painted();
        this.say();
        if (since)
          performance.measure('ergon:redraw', {start: since, end: performance.now()});
        performance.mark('ergon:shown');
        this.colour();
        await this.showOthers(state);
        await this.plots.drawUnseen(() => !this.isStale);
        this.say();
        if (since && !this.isStale)
          performance.measure('ergon:complete', {start: since, end: performance.now()});
      } while (this.isStale);
    } catch (problem) {
      this.totals.show(this.state, null, undefined, String(problem));
      throw problem;
    } finally {
      this.say();
      this.isRunning = false;
      delete document.documentElement.dataset.busy;
    }
  }

  /// Sends all questions at once, so that the model works while answers are shown.
  private async showInSight(state: State) {
    const given = givenOf(state), id = state.function, {set, machine} = given, entry = this.entry ?? id;
    const profileAsked = this.engine.ask<Profile>({do: 'top', function: entry, ...given});
    const ofEntry = profileAsked.then(profile => (failed(profile) ? this.engine.ask<Prediction>({do: 'predict', function: entry, ...given}) : profile.prediction));
    const settingsAsked = this.engine.ask<Settings>({do: 'settings', function: id, set, machine});
    const asked = {
      prediction: entry === id ? ofEntry : this.engine.ask<Prediction>({do: 'predict', function: id, ...given}),
      lines: this.engine.ask<LinesAnswer>({do: 'lines', function: id, ...given}),
      loops: this.loopsOfFunction(id),
      settings: settingsAsked,
      ofEntrySettings: entry === id ? settingsAsked : this.engine.ask<Settings>({do: 'settings', function: entry, set, machine}),
      rows: this.engine.rows([...new Set([id, ...this.functions.idsInSight()])], given),
    };
    const profile = await profileAsked, run = await ofEntry;
    const prediction = await asked.prediction;
    const known = failed(prediction) ? null : prediction;
    const unbound = known?.unbound ?? [];
    this.profile = failed(profile) ? null : profile;
    this.functions.setProfile(this.profile);
    this.advice.show(this.profile);
    this.compare();
    this.showAnswer(state, run, profile, await asked.ofEntrySettings);
    this.controls.show(state, unbound, known?.unknowns ?? [], known?.estimated ?? []);
    this.totals.show(state, known, this.functions.byId.get(id), failed(prediction) ? prediction.error : '');
    this.wholeEnergy = known?.energy_j?.value;
    const lines = await asked.lines;
    this.lines = failed(lines) ? {files: []} : lines;
    this.loopList = await asked.loops;
    await this.showSource(state);
    const settings = await asked.settings, roofs = await this.roofsOf(state, known);
    this.shownRoofs = roofs;
    this.functions.update(state, await asked.rows);
    this.totals.show(state, known, this.functions.byId.get(id), failed(prediction) ? prediction.error : '');
    const [points, whyNone] = failed(settings) ? [[], settings.error] : [settings.points, settings.why];
    await Promise.all([
      this.plots.showBreakdown(known),
      this.plots.showSettings(points, known, state, whyNone ?? (unbound.length ? `Needs ${unbound.join(', ')}.` : '')),
      this.plots.showCache(roofs, known, this.functions.byId.get(id)),
      this.plots.showRoofs(roofs, this.functions.byId, state),
    ]);
  }

  /// With the other report, where one was opened.
  private compare() {
    const entry = this.program.functions.find(({id}) => id === (this.entry ?? this.state.function));
    void this.comparison.show(entry?.mangled, this.profile, givenOf(this.state));
  }

  private showAnswer(state: State, of: Prediction | Failure, profile: Profile | Failure, settings: Settings | Failure) {
    const entry = this.program.functions.find(({id}) => id === (this.entry ?? state.function));
    this.headline.show(entry, this.entry !== undefined, failed(of) ? null : of, failed(profile) ? null : profile, failed(settings) ? [] : settings.points,
                       state, failed(of) ? of.error : '');
  }

  /// All other functions, slice by slice; then all are in their order.
  private async showOthers(state: State) {
    const given = givenOf(state);
    let others = this.program.functions.map(({id}) => id).filter(id => !this.functions.byId.has(id));
    this.say('computing other functions …', this.functions.element);
    while (others.length && !this.isStale) {
      const rows = await this.engine.rows(others, given, SLICE_MS);
      this.functions.add(rows);
      others = others.slice(rows.length);
    }
    if (this.isStale)
      return;
    const rows = [...this.functions.byId.values()];
    this.functions.show(state, rows);
    await this.plots.showRoofs(this.shownRoofs, this.functions.byId, state);
    const most = rows.reduce<FunctionRow | null>(
      (best, row) => (row.energy_j != null && (best == null || row.energy_j > best.energy_j!) ? row : best), null);
    if (this.entry === undefined && !this.isChosen && most && most.id !== state.function)
      this.change({function: most.id});
  }

  /// They are formulas, the same for all values.
  private async loopsOfFunction(id: number): Promise<Loop[]> {
    const known = this.loopsOf.get(id);
    if (known)
      return known;
    const answer = await this.engine.ask<{loops: Loop[]}>({do: 'loops', function: id});
    const loops = failed(answer) ? [] : answer.loops;
    this.loopsOf.set(id, loops);
    return loops;
  }

  /// Of the class of flops that is chosen; else of the one that the function has most of, where the machine has it.
  private async roofsOf(state: State, known: Prediction | null): Promise<Roofs> {
    const first = await this.roofsOfClass(state, state.flops);
    const [most] = Object.entries(known?.counts ?? {}).filter(([name]) => first.classes?.includes(name)).sort((a, b) => b[1] - a[1]);
    return state.flops || !most ? first : this.roofsOfClass(state, most[0]);
  }

  private async roofsOfClass({machine, setting}: State, flops: string): Promise<Roofs> {
    const key = JSON.stringify([machine, setting, flops]);
    const known = this.roofs.get(key);
    if (known)
      return known;
    const answer = await this.engine.ask<Roofs>({do: 'roofs', machine, setting, ...(flops && {flops})});
    const roofs = failed(answer) ? {ceilings: [], why: answer.error} : answer;
    this.roofs.set(key, roofs);
    return roofs;
  }

  private async showSource(state: State) {
    const id = state.function;
    const path = state.file ?? this.chosen?.file ?? '';
    const isOther = path !== this.source.path || this.shownFunction !== id;
    if (isOther) {
      const text = await this.engine.source(path);
      this.shownFunction = id;
      this.source.showText(text, state.line ?? (state.file && state.file !== this.chosen?.file ? 1 : this.chosen?.line ?? 1));
      this.uncoloured = text;
    }
    this.source.showFiles(path, this.lines.files.map(each => each.path));
    this.source.showRest(this.lines.rest ?? []);
    this.source.showCosts(this.lines.files.find(each => each.path === path)?.rows ?? [], this.wholeEnergy);
    const hottest = this.source.hottestLine;
    if (isOther && !state.line && hottest)
      this.source.moveTo(hottest, false);
    if (isOther || !this.pointed.line)
      this.pointed = {path, line: this.source.line};
    this.showFormula();
  }

  /// Colours come when all else is shown.
  private colour() {
    const source = this.uncoloured;
    this.uncoloured = null;
    if (source?.text)
      void this.engine.highlight(source.path, source.text)
        .then(coloured => this.source.showColours(source.path, coloured));
  }

  private pointAt(path: string, line: number | null) {
    this.pointed = {path, line: line ?? this.source.line};
    this.showFormula();
  }

  private showFormula() {
    const {path, line} = this.pointed;
    this.loops.show(this.loopList, path, line, line == null ? undefined : this.source.costOf(line));
  }
}

async function start() {
  const root = document.getElementById('page')!;
  try {
    const text = (id: string) => {
      const element = document.getElementById(id);
      if (!element)
        throw new Error('it is the empty page, which `ergon report` fills');
      return element.textContent ?? '';
    };
    const engine = await Engine.start(text('ergon-wasm'), text('ergon-data'));
    const program = await engine.ask<Program>({do: 'program'});
    if (failed(program))
      throw new Error(program.error);
    if (program.schema !== 'ergon-report/1')
      throw new Error(`this page reads ergon-report/1, and the data are ${program.schema}: make the report again`);
    document.title = `${program.title ?? 'report'} – Ergon`;
    new Page(program, engine, text('ergon-wasm'), root);
  } catch (problem) {
    root.replaceChildren(make('p', {class: 'problem', role: 'alert'}));
    setText(root.firstElementChild!, `The report cannot be shown: ${problem instanceof Error ? problem.message : problem}`);
  }
}

void start();
