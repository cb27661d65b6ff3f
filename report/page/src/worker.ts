// Beside the page: the model and the highlighter, so that the page stays quick while they work.
import {highlighted} from './highlight';
import {loadModel} from './wasm';
import type {Failure, FunctionRow, Given, Source} from './contract';

let answer: (request: string) => string;
let data: Uint8Array<ArrayBuffer>;
/// The sources in the data, read when the first is asked for.
let sources: Map<string, Source> | undefined;

/// Uses the engine's own function where it has one, which is much faster.
const fromBase64 = (text: string): Uint8Array<ArrayBuffer> =>
  (Uint8Array as unknown as {fromBase64?: (text: string) => Uint8Array<ArrayBuffer>}).fromBase64?.(text) ??
  Uint8Array.from(atob(text), letter => letter.charCodeAt(0));

/// Bytes as they stand in the page: JSON as it is, or base64, perhaps of gzip.
async function unpacked(text: string): Promise<Uint8Array<ArrayBuffer>> {
  if (text.startsWith('{'))
    return new TextEncoder().encode(text);
  const bytes = fromBase64(text);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b)
    return bytes;
  const plain = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}

function source(path: string): Source {
  sources ??= new Map((JSON.parse(new TextDecoder().decode(data)).sources as Source[]).map(each => [each.path, each]));
  return sources.get(path) ?? {path, state: 'missing', text: ''};
}

/// Rows of functions, one after the other: all that are asked for, or those that \p within_ms was enough for, at least one.
function rows({ids, given, within_ms}: {ids: number[]; given: Given; within_ms?: number}): FunctionRow[] {
  const began = performance.now(), found: FunctionRow[] = [];
  for (const id of ids) {
    const of: {rows: FunctionRow[]} | Failure = JSON.parse(answer(JSON.stringify({do: 'functions', from: id, count: 1, ...given})));
    found.push('error' in of ? {id, energy_j: null, time_s: null, flops: null, why: of.error} : of.rows[0]);
    if (within_ms != null && performance.now() - began >= within_ms)
      break;
  }
  return found;
}

async function reply(what: any): Promise<unknown> {
  switch (what.do) {
  case 'load':
    data = await unpacked(what.data.trim());
    answer = await loadModel(await unpacked(what.wasm.trim()), data);
    return {};
  case 'source':
    return source(what.path);
  case 'rows':
    return rows(what);
  case 'highlight':
    return highlighted(what.path, what.text);
  default:
    return answer(JSON.stringify(what));
  }
}

/// Answers are given in the order of the questions.
let last: Promise<void> = Promise.resolve();
onmessage = ({data: {id, request}}) => {
  last = last.then(() => reply(request)).then(answer => postMessage({id, answer}), problem => postMessage({id, problem: String(problem)}));
};
