// Settings of the clocks, beside another.
import type {Setting, SettingPoint} from './contract';
import {settingKey} from './format';

/// A setting with a known time and energy.
export interface KnownPoint extends SettingPoint {
  time_s: number;
  energy_j: number;
}

/// The most time, as a ratio, that less energy may take, and the most energy of a setting that is worth naming.
const MOST_TIME = 1.1;
const WORTH_ENERGY = 0.98;

export const knownPoints = (points: SettingPoint[]) =>
  points.filter((point): point is KnownPoint => point.time_s != null && point.energy_j != null);

export const pointOf = (points: KnownPoint[], setting: Setting | null | undefined) =>
  points.find(point => settingKey(point) === settingKey(setting));

/// The clocks alone.
export const clocksOf = (point: Setting): Setting =>
  ({...(point.core_mhz != null && {core_mhz: point.core_mhz}), ...(point.mem_mhz != null && {mem_mhz: point.mem_mhz})});

/// The setting with the least energy among those that take at most a tenth longer than \p now; none where that saves less than
/// a fiftieth.
export function betterThan(points: KnownPoint[], now: KnownPoint | undefined): KnownPoint | undefined {
  if (!now)
    return undefined;
  const best = points.filter(point => point.time_s <= MOST_TIME * now.time_s)
    .reduce((least, point) => (point.energy_j < least.energy_j ? point : least), now);
  return best.energy_j <= WORTH_ENERGY * now.energy_j ? best : undefined;
}
