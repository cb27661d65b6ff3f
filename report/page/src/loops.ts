// The formulas of the line under the pointer or the keyboard, and of the loops around it.
import {make, placeLink, setText} from './dom';
import {KNOWN_WORDS} from './format';
import type {LineRow, Loop} from './contract';

/// Loops that may hold a line, the innermost first: for each depth the nearest that starts above it, as long as no
/// loop of less depth starts in between. Records have no ends of loops.
export function loopsAround(loops: Loop[], path: string, line: number): Loop[] {
  const around: Loop[] = [];
  for (const loop of loops.filter(each => each.file === path && each.line <= line).sort((a, b) => a.line - b.line)) {
    while (around.length && (around[around.length - 1].depth ?? 0) >= (loop.depth ?? 0) && around[around.length - 1].line !== loop.line)
      around.pop();
    around.push(loop);
  }
  return around.reverse();
}

function formulas(of: Record<string, string>): HTMLElement {
  return make('dl', {class: 'formulas'},
    ...Object.entries(of).flatMap(([key, formula]) => [make('dt', {}, key), make('dd', {}, formula)]));
}

export class Loops {
  readonly element = make('details', {class: 'panel', id: 'formula'}, make('summary', {}, 'Formulas of the line under the pointer or the keyboard'));
  private body = make('div', {class: 'formula-body', 'aria-live': 'polite'});
  private key = '';

  /// \p nameOf a function's mangled name is what people read.
  constructor(private nameOf: (mangled: string) => string, private go: (place: string) => void) {
    this.element.append(this.body);
  }

  show(loops: Loop[], path: string, line: number | null, cost: LineRow | undefined) {
    const around = line == null ? [] : loopsAround(loops, path, line);
    const key = JSON.stringify([path, line, around, cost?.formulas, cost?.times, cost?.known, cost?.why]);
    if (key === this.key)
      return;
    this.key = key;
    if (line == null || (!around.length && !cost))
      return setText(this.body, line == null ? 'Point at a line, or move to it with the arrow keys.'
                                             : `${path}:${line} costs nothing that was counted.`);
    this.body.replaceChildren(
      make('h2', {}, placeLink(`${path}:${line}`, this.go), cost?.times ? ` runs ${cost.times} times` : ''),
      cost ? make('div', {}, make('p', {class: 'quiet'}, KNOWN_WORDS[cost.known] ?? cost.known, cost.why ? `. ${cost.why}` : ''),
                  cost.calls?.length ? make('p', {}, `with what it calls: ${cost.calls.map(this.nameOf).join(', ')}`) : '',
                  formulas(cost.formulas)) : '',
      around.length ? make('p', {class: 'quiet'}, around.some(each => each.line === line) ? 'In these loops:' : 'Loops that begin above it:') : '',
      ...around.map(loop => this.loop(loop)));
  }

  private loop(loop: Loop) {
    return make('div', {class: 'loop'},
      make('h3', {}, `Loop${loop.variable ? ` over ${loop.variable}` : ''}, `, placeLink(`${loop.file}:${loop.line}`, this.go)),
      make('p', {}, 'trips ', make('span', {class: 'formula'}, loop.trips), ' · entered ',
           make('span', {class: 'formula'}, loop.entries), ` times · ${loop.known}`,
           loop.width ? ` · ${loop.width > 1 ? `${loop.width} lanes` : 'scalar'}` : ''),
      formulas(loop.formulas));
  }
}
