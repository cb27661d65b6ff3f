// The current view. It is kept in the address, after #, so that a view can be linked.
import type {Given, Program, Setting} from './contract';

export interface State extends Given {
  function: number;
  file: string | null;
  line: number | null;
  flops: string;              ///< the class of flops of the roofs; empty: that of the function
  sort: string;
  filter: string;
}

const number = (text: string | null) => (text == null || text === '' || !Number.isFinite(Number(text)) ? undefined : Number(text));

/// The setting of a machine with these clocks; its default where it has none.
export function settingOf(program: Program, machine: string | null, asked?: Setting | null): Setting | null {
  const found = program.machines.find(each => each.name === machine);
  if (!found)
    return null;
  return found.settings.find(each => asked && each.core_mhz === asked.core_mhz && each.mem_mhz === asked.mem_mhz) ??
         found.settings[found.default] ?? null;
}

/// The program's own function; nothing where the report has none.
export const programOf = (program: Program) => program.functions.find(({name, is_kernel}) => name === 'main' && !is_kernel);

export function initialState(program: Program): State {
  const machine = program.machines[0]?.name ?? null;
  return {
    function: (programOf(program) ?? program.functions[0])?.id ?? 0,
    machine, setting: settingOf(program, machine), set: {...program.set},
    file: null, line: null, flops: '', sort: 'energy_j', filter: '',
  };
}

/// A view of \p program as an address tells it; what it does not tell is as at the start.
export function stateFrom(hash: string, program: Program): State {
  const state = initialState(program);
  const asked = new URLSearchParams(hash.replace(/^#/, ''));
  const name = asked.get('function');
  const found = name != null && program.functions.find(each => each.mangled === name);
  if (found)
    state.function = found.id;
  const machine = asked.get('machine');
  if (program.machines.some(each => each.name === machine))
    state.machine = machine;
  if (asked.has('machine'))
    state.setting = settingOf(program, state.machine,
                              {core_mhz: number(asked.get('core')), mem_mhz: number(asked.get('mem'))});
  for (const [key, value] of asked)
    if (key.startsWith('set.'))
      state.set[key.slice(4)] = value;
  const file = asked.get('file');
  if (program.files.some(each => each.path === file))
    state.file = file;
  state.line = number(asked.get('line')) ?? null;
  state.flops = asked.get('flops') ?? '';
  state.sort = asked.get('sort') ?? state.sort;
  state.filter = asked.get('filter') ?? '';
  return state;
}

export function hashOf(state: State, program: Program): string {
  const told = new URLSearchParams();
  const chosen = program.functions.find(each => each.id === state.function);
  if (chosen)
    told.set('function', chosen.mangled);
  if (state.machine)
    told.set('machine', state.machine);
  if (state.setting?.core_mhz != null)
    told.set('core', String(state.setting.core_mhz));
  if (state.setting?.mem_mhz != null)
    told.set('mem', String(state.setting.mem_mhz));
  for (const symbol of Object.keys(state.set).sort())
    if (state.set[symbol] !== '')
      told.set(`set.${symbol}`, state.set[symbol]);
  if (state.file)
    told.set('file', state.file);
  if (state.line)
    told.set('line', String(state.line));
  if (state.flops)
    told.set('flops', state.flops);
  if (state.sort !== 'energy_j')
    told.set('sort', state.sort);
  if (state.filter)
    told.set('filter', state.filter);
  return `#${told}`;
}

/// The values that are given: an empty field is no value.
export const givenOf = ({set, machine, setting}: State): Given => ({
  set: Object.fromEntries(Object.entries(set).filter(([, value]) => value !== '')), machine, setting,
});
