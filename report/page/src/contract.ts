// The types of the questions to the model and of its answers; docs/report.md describes them. A
// number that is not known is null, and `why` beside it says the reason.

export interface Setting {
  core_mhz?: number;
  mem_mhz?: number;
}

export interface Unknown {
  symbol: string;
  at: string;
  why: string;
}

export interface ProgramFunction {
  id: number;
  name: string;
  mangled: string;
  file: string;
  line: number;
  is_kernel: boolean;
  parameters: {name: string; type: string}[];
  unknowns: Unknown[];
  range_checks: {at: string; exact_for: string}[];
  measured_runs: number;      ///< on the first machine, with the values to begin with
}

export interface Machine {
  name: string;
  description?: string;
  settings: Setting[];
  default: number;
  is_gpu: boolean;
}

export interface SourceFile {
  path: string;
  state: string;
}

export interface Program {
  schema: string;
  title?: string;
  functions: ProgramFunction[];
  machines: Machine[];
  files: SourceFile[];
  compiler: string;
  set: Values;                ///< values to begin with
}

/// Symbols and their values as `--set` takes them: a number or `low..high`.
export type Values = Record<string, string>;

/// The values on which all numbers of the page depend.
export interface Given {
  set: Values;
  machine: string | null;
  setting: Setting | null;
}

export interface Interval {
  value: number;
  low: number;
  high: number | null;        ///< null: without an end
}

/// What stands in for a symbol without a value, and its share of the spread of the answer.
export interface Estimate {
  symbol: string;
  value: number;
  source: string;
  at?: string;
  why?: string;
}

/// A run by which a prediction was corrected, and what the model alone says of it.
export interface MeasuredRun {
  source: string;
  setting: Setting;
  time_s: number;
  energy_j?: number;
  model_time_s: number;
  model_energy_j: number;
}

export interface Prediction {
  counts: Record<string, number>;
  intervals?: Record<string, {low: number; high: number}>; ///< of counts
  known: Record<string, string>;
  time_s?: Interval;
  energy_j?: Interval;
  power_w?: Interval;
  intensity?: Record<string, number>;
  bound?: string;
  breakdown_j?: Record<string, number>;
  unpriced?: string[];
  untimed?: string[];
  not_priced?: string[];
  not_covered?: string[];
  error_not_stated?: string[];
  estimated_costs?: string[];
  traffic_unknown?: string;
  defaults?: Record<string, number>;
  wraps?: string[]; ///< where these values do not fit their types
  estimated?: Estimate[];     ///< the largest share first
  unbound: string[];
  unknowns?: Unknown[];
  measured?: MeasuredRun[];
  measure_next?: Setting;     ///< where a further run would tell most
}

export interface PartCost {
  size: number;               ///< operations and bytes
  time_s?: number;
  energy_j?: number;
}

/// A part of a run: `ergon-top/1`.
export interface ProfileRow {
  kind: string;               ///< `function`, `kernel`, `transfer`, `library`, …
  name: string;
  at?: string;
  calls: number;
  self: PartCost;             ///< of its own code
  total: PartCost;            ///< with what it calls
  share: number;              ///< of the run, by its own code
  bound?: string;
  known: string;
}

export interface Advice {
  rule: string;
  at: string;                 ///< `file:line:column`
  function: string;
  message: string;            ///< what is wrong: what to do
  share: number;              ///< of the run, what the loop or function around takes
  saved_s?: number;           ///< absent: not known
  saved_j?: number;
}

export interface Profile {
  sum: PartCost;
  estimated_share: number;
  rows: ProfileRow[];         ///< the largest first
  advice: Advice[];           ///< what saves most first
  prediction: Prediction;     ///< of the whole run
}

export interface FunctionRow {
  id: number;
  energy_j: number | null;
  time_s: number | null;
  power_w?: number | null;
  flops: number | null;
  bytes_dram?: number | null;
  bound?: string | null;
  unbound?: string[];
  estimated?: string[];
  unpriced?: string[];
  why?: string;
}

export interface LineRow {
  line: number;
  energy_j: number | null;
  flops: number | null;
  bytes: Record<string, number | null>;
  times?: string;
  known: string;
  formulas: Record<string, string>;
  calls?: string[];
  why?: string;
}

export interface LinesAnswer {
  files: {path: string; rows: LineRow[]}[];
  /// Energy that is of no line, and what it is of.
  rest?: {what: string; energy_j: number | null}[];
}

export interface Loop {
  file: string;
  line: number;
  end_line: number | null;
  depth?: number;
  variable?: string;
  trips: string;
  entries: string;
  known: string;
  formulas: Record<string, string>;
  width?: number | null;
}

export type Curve = [number, number][];

export interface Ceiling {
  name: string;
  kind: 'bandwidth' | 'flops';
  bytes_per_s?: number;
  flops_per_s?: number;
}

export interface Roofs {
  balance?: {time?: number | null; energy?: number | null; effective?: number | null} | null;
  ceilings: Ceiling[];
  curves?: {time?: Curve; arch?: Curve; power?: Curve} | null;
  why?: string;
  classes?: string[];         ///< of flops that the machine has a rate of
  flops?: string | null;      ///< the class that is shown
  unknown?: string[];         ///< what the profile does not say of the levels
}

export interface SettingPoint extends Setting {
  time_s: number | null;
  energy_j: number | null;
  pareto: boolean;
  why?: string;
}

export interface Source {
  path: string;
  state: string;              ///< `ok`, or why no text is shown: `changed`, `missing`, `unchecked`, `outside`, …
  text: string;               ///< empty where the state is another than the first two
}

export interface Failure {
  error: string;
}
