// Numbers as people read them. The exact number stays with the element, in `data-value` and the tooltip.
import {setAttributes, setText} from './dom';
import type {Interval, Setting} from './contract';

const PREFIXES = ['q', 'r', 'y', 'z', 'a', 'f', 'p', 'n', 'µ', 'm', '', 'k', 'M', 'G', 'T', 'P', 'E', 'Z', 'Y', 'R', 'Q'];
const SPACE = '\u202f';
export const NONE = '–';

/// `1.234 mJ`: four digits and an SI prefix.
export function quantity(value: number | null | undefined, unit: string, digits = 4): string {
  if (value == null || !Number.isFinite(value))
    return NONE;
  if (value === 0)
    return `0${SPACE}${unit}`;
  const rounded = Number(value.toPrecision(digits));
  const power = Math.floor(Math.log10(Math.abs(rounded)) / 3 + 1e-12);
  const prefix = PREFIXES[power + 10];
  if (prefix === undefined)
    return `${value.toExponential(digits - 1)}${SPACE}${unit}`;
  const scaled = Number((rounded / 10 ** (3 * power)).toPrecision(digits));
  return `${scaled}${SPACE}${prefix}${unit}`;
}

/// A pure number: intensities and ratios.
export function ratio(value: number | null | undefined, digits = 4): string {
  if (value == null || !Number.isFinite(value))
    return NONE;
  const magnitude = Math.abs(value);
  return magnitude !== 0 && (magnitude >= 1e6 || magnitude < 1e-3) ? value.toExponential(digits - 1)
                                                                   : String(Number(value.toPrecision(digits)));
}

export const percent = (share: number) => `${(100 * share).toFixed(share < 0.0995 ? 1 : 0)}${SPACE}%`;

/// Shows a number in an element, with the exact one beside it.
export function showNumber(element: HTMLElement, value: number | null | undefined, unit: string, why = '') {
  const isKnown = value != null && Number.isFinite(value);
  setText(element, unit ? quantity(value, unit) : ratio(value));
  setAttributes(element, {'data-value': isKnown ? String(value) : undefined,
                          title: isKnown ? `${value}${unit ? ` ${unit}` : ''}` : why || undefined});
}

export const isExact = (of: Interval) => of.low === of.value && of.high === of.value;

export const settingText = (setting: Setting) =>
  [setting.core_mhz != null ? `${setting.core_mhz} MHz core` : '',
   setting.mem_mhz != null ? `${setting.mem_mhz} MHz memory` : ''].filter(Boolean).join(' · ') || 'its one setting';

/// `2.4 GHz`, and the memory's clock where it is another than that of \p beside.
export const clockText = (setting: Setting, beside?: Setting | null) => {
  const clock = (mhz: number) => quantity(mhz * 1e6, 'Hz');
  const isOther = setting.mem_mhz != null && setting.mem_mhz !== beside?.mem_mhz;
  return [setting.core_mhz != null ? clock(setting.core_mhz) : '',
          isOther ? `memory at ${clock(setting.mem_mhz!)}` : ''].filter(Boolean).join(', ') || 'its one setting';
};

/// `9 % less`, `4 % more`, of what \p before was.
export function changeText(now: number, before: number): string {
  const change = now / before - 1;
  return Math.abs(change) < 5e-4 ? 'no more' : `${percent(Math.abs(change))} ${change < 0 ? 'less' : 'more'}`;
}

/// `−9 %`
export const signedPercent = (now: number, before: number) =>
  Math.abs(now / before - 1) < 5e-4 ? `±0${SPACE}%` : `${now < before ? '−' : '+'}${percent(Math.abs(now / before - 1))}`;

const BOUND_WORDS: Record<string, string> = {divide: 'division', load: 'loads', store: 'stores', issue: 'instruction issue', power_cap: 'the power cap'};

/// What bounds a time, in words.
export function boundText(bound: string): string {
  const level = bound.replace(/^bytes_/, '');
  if (/^(l1|l2|l3|dram)$/.test(level))
    return level.toUpperCase();
  if (bound in BOUND_WORDS)
    return BOUND_WORDS[bound];
  return bound.startsWith('flops_') ? `${bound.slice(6)} arithmetic` : bound.replaceAll('_', ' ');
}

export const settingKey = (setting: Setting | null | undefined) => `${setting?.core_mhz ?? ''}/${setting?.mem_mhz ?? ''}`;

/// How a number is known, as a mark that fits a narrow column.
export const KNOWN_MARKS: Record<string, string> = {exact: '=', bound: '≤', assumed: '~', measured: 'm', estimated: '≈'};
export const KNOWN_WORDS: Record<string, string> = {
  exact: 'exact: follows from the code',
  bound: 'bound: at most this',
  assumed: 'assumed: rests on an assumption that is named',
  measured: 'measured: from a run',
  estimated: 'estimated: rests on an estimate of a value that is not given',
};
/// The weakest first: a sum is known as its weakest part.
export const KNOWN_ORDER = ['estimated', 'assumed', 'bound', 'measured', 'exact'];
export const weakest = (known: string[]) => KNOWN_ORDER.find(each => known.includes(each)) ?? '';
