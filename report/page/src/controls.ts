// Machine, setting, and the values that the formulas need: a slider and a field for each.
import {make, placeLink, setAttributes, setOptions, setText} from './dom';
import {ratio, settingKey, settingText} from './format';
import {settingOf, type State} from './state';
import type {Estimate, Program, ProgramFunction, Unknown, Values} from './contract';

const STEPS = 1000;
/// Of so many values the drawer's head has a word.
const MOST_GIVEN = 4;

/// Where a slider's ends are, and how its position becomes a value. Sizes span decades, so they move by
/// ratio; how often a branch is taken is a share.
interface Scale {
  toValue(position: number): string;
  toPosition(value: number): number;
}

function scaleOf(symbol: string, value: number): Scale {
  if (symbol.startsWith('taken@'))
    return {toValue: position => String(position / STEPS), toPosition: share => share * STEPS};
  const decades = Math.max(7, Math.ceil(Math.log10(Math.max(1, value))));
  return {
    toValue: position => String(Math.round(Number((10 ** (decades * position / STEPS)).toPrecision(3)))),
    toPosition: size => size >= 1 ? Math.log10(size) / decades * STEPS : 0,
  };
}

interface Field {
  symbol: string;
  element: HTMLElement;
  slider: HTMLInputElement;
  field: HTMLInputElement;
  note: HTMLElement;
}

export class Controls {
  /// Machine and clocks, for the head of the page; and the values, in a drawer.
  readonly target: HTMLElement;
  readonly element: HTMLDetailsElement;
  private given = make('button', {type: 'button', id: 'given', 'aria-controls': 'controls'});
  private machine = make('select', {id: 'machine'});
  private setting = make('select', {id: 'setting'});
  private list = make('div', {class: 'fields'});
  private fields: Field[] = [];
  private shownFor = '';
  /// Symbols that a function needs. A field stays once it has a value.
  private asked = new Map<number, Set<string>>();

  constructor(private program: Program, private values: () => Values, private change: (patch: Partial<State>) => void,
              private go: (place: string) => void, needs: HTMLElement) {
    this.target = make('div', {class: 'target'}, make('label', {for: 'machine'}, 'Machine'), this.machine,
                       make('label', {for: 'setting'}, 'Clocks'), this.setting, this.given);
    this.given.addEventListener('click', () => this.open());
    this.element = make('details', {class: 'panel values', id: 'controls'},
      make('summary', {}, make('span', {class: 'summary-title'}, 'Values'), make('span', {class: 'quiet'}, 'that the formulas need')), needs, this.list);
    this.machine.addEventListener('change', () => {
      const machine = this.machine.value;
      change({machine, setting: settingOf(program, machine)});
    });
    this.setting.addEventListener('change', () => {
      const found = program.machines.find(each => each.name === this.machine.value);
      change({setting: found?.settings[this.setting.selectedIndex] ?? null});
    });
  }

  /// \p unbound are the symbols without a value, with their places where the model knows them; \p estimated
  /// those that an estimate stands for.
  show(state: State, unbound: string[], places: Unknown[], estimated: Estimate[]) {
    const machine = this.program.machines.find(each => each.name === state.machine);
    setOptions(this.machine, this.program.machines.map(({name}) => ({value: name, text: name})), state.machine ?? '');
    setOptions(this.setting, (machine?.settings ?? []).map(each => ({value: settingKey(each), text: settingText(each)})),
               settingKey(state.setting));
    const chosen = this.program.functions.find(each => each.id === state.function);
    if (!chosen)
      return;
    const asked = this.asked.get(chosen.id) ?? new Set<string>();
    this.asked.set(chosen.id, asked);
    const open = [...unbound, ...estimated.map(({symbol}) => symbol)];
    open.forEach(symbol => asked.add(symbol));
    const symbols = this.symbolsOf(chosen, state, asked);
    if (unbound.length)
      this.element.open = true;
    this.summarize(state, unbound, estimated);
    const key = `${chosen.id} ${[...symbols].sort().join(' ')}`;
    if (key !== this.shownFor) {
      this.shownFor = key;
      symbols.sort((a, b) => Number(open.includes(b)) - Number(open.includes(a)));
      this.build(chosen, symbols, places);
    }
    for (const each of this.fields)
      this.update(each, state.set[each.symbol] ?? '', unbound.includes(each.symbol),
                  estimated.find(({symbol}) => symbol === each.symbol));
  }

  /// Moves the keyboard focus to the field of a symbol.
  focus(symbol: string) {
    this.open();
    this.fields.find(each => each.symbol === symbol)?.field.focus();
  }

  open() {
    this.element.open = true;
    this.element.scrollIntoView({block: 'nearest'});
    this.element.querySelector('summary')!.focus({preventScroll: true});
  }

  /// What is given, in a line.
  private summarize(state: State, unbound: string[], estimated: Estimate[]) {
    const given = Object.entries(state.set).filter(([, value]) => value !== '').map(([symbol, value]) => `${symbol} = ${value}`);
    const shown = given.slice(0, MOST_GIVEN).join(', ') + (given.length > MOST_GIVEN ? `, ${given.length - MOST_GIVEN} more` : '');
    setText(this.given, [shown, estimated.length ? `${estimated.length} estimated` : '', unbound.length ? `${unbound.length} needed` : '']
      .filter(Boolean).join(' · ') || 'no values');
  }

  private symbolsOf(chosen: ProgramFunction, state: State, asked: Set<string>): string[] {
    const ofAny = (symbol: string) => this.program.functions.some(
      each => each.parameters.some(({name}) => name === symbol) || each.unknowns.some(unknown => unknown.symbol === symbol));
    return [...new Set([
      ...chosen.parameters.filter(({type}) => /^[iu]\d+$/.test(type)).map(({name}) => name).filter(name => asked.has(name) || name in state.set),
      ...chosen.unknowns.map(({symbol}) => symbol),
      ...asked,
      ...Object.keys(state.set).filter(symbol => !ofAny(symbol)),
    ])];
  }

  private build(chosen: ProgramFunction, symbols: string[], places: Unknown[]) {
    const focused = this.fields.find(({field, slider}) => field === document.activeElement || slider === document.activeElement);
    const wasSlider = focused?.slider === document.activeElement;
    this.fields = symbols.map(symbol => this.make(symbol, chosen, places));
    this.list.replaceChildren(...this.fields.map(({element}) => element));
    if (!symbols.length)
      this.list.append(make('p', {class: 'quiet'}, 'No value is needed: the counts are constant.'));
    const again = this.fields.find(({symbol}) => symbol === focused?.symbol);
    (wasSlider ? again?.slider : again?.field)?.focus();
  }

  private make(symbol: string, chosen: ProgramFunction, places: Unknown[]): Field {
    const id = `value-${symbol}`;
    const about = [...places, ...chosen.unknowns].find(each => each.symbol === symbol);
    const type = chosen.parameters.find(({name}) => name === symbol)?.type;
    const slider = make('input', {type: 'range', min: 0, max: STEPS, step: 1, 'aria-label': `${symbol}, slider`});
    const field = make('input', {id, type: 'text', inputmode: 'decimal', autocomplete: 'off', spellcheck: 'false',
                                 'aria-describedby': `${id}-note`, size: 11});
    const note = make('span', {class: 'needed', id: `${id}-note`});
    const give = (value: string) => this.change({set: {...this.values(), [symbol]: value}});
    slider.addEventListener('input', () => {
      field.value = scaleOf(symbol, Number(field.value)).toValue(Number(slider.value));
      give(field.value);
    });
    field.addEventListener('input', () => give(field.value.trim()));
    const at = about?.at || `${chosen.file}:${chosen.line}`;
    const element = make('div', {class: 'field'},
      make('div', {class: 'field-head'}, make('label', {for: id}, symbol), make('span', {class: 'quiet'}, type ?? ''), note),
      make('div', {class: 'field-inputs'}, slider, field),
      make('div', {class: 'field-about quiet'}, placeLink(at, this.go), about ? ` ${about.why}` : type ? ' parameter' : ''));
    setAttributes(slider, {'data-symbol': symbol});
    return {symbol, element, slider, field, note};
  }

  private update({symbol, slider, field, note, element}: Field, value: string, isNeeded: boolean, estimate?: Estimate) {
    if (field.value.trim() !== value)
      field.value = value;
    const shown = value !== '' ? value : estimate ? String(estimate.value) : '';
    const isNumber = shown !== '' && Number.isFinite(Number(shown));
    const position = isNumber ? scaleOf(symbol, Number(shown)).toPosition(Number(shown)) : 0;
    if (Math.abs(Number(slider.value) - position) >= 1)
      slider.value = String(position);
    setAttributes(slider, {'aria-valuetext': value !== '' ? value : estimate ? `${shown}, estimated` : 'no value'});
    setAttributes(field, {placeholder: estimate ? `≈ ${ratio(estimate.value)}` : undefined});
    setText(note, isNeeded ? 'needed' : estimate ? 'estimated' : '');
    element.classList.toggle('is-needed', isNeeded);
  }
}
