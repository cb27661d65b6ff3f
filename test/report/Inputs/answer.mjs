// answer.mjs PAGE REQUEST…: what answer.cpp prints, of the WebAssembly in the page. With --time it
// prints milliseconds in the place of answers.
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

const args = process.argv.slice(2);
const timed = args[0] === '--time' && args.shift();
const [page, ...requests] = args;
const text = readFileSync(page, 'utf8');
const element = (id) => {
  const from = text.indexOf(`id="${id}">`) + id.length + 6;
  return text.slice(from, text.indexOf('</script>', from));
};

const started = performance.now();
let memory;
// The program reads and writes no files; what it says on the standard error goes nowhere.
const imports = new Proxy({}, {
  get: (_, name) => name === 'fd_write'
    ? (_fd, list, count, written) => {
      const view = new DataView(memory.buffer);
      let size = 0;
      for (let i = 0; i < count; i++) size += view.getUint32(list + 8 * i + 4, true);
      view.setUint32(written, size, true);
      return 0;
    }
    : name === 'proc_exit' ? (code) => { throw new Error(`exit ${code}`); } : () => 8,
});
const unpacked = text => gunzipSync(Buffer.from(text, 'base64'));
const { instance } = await WebAssembly.instantiate(unpacked(element('ergon-wasm')), { wasi_snapshot_preview1: imports });
const program = instance.exports;
memory = program.memory;
program._initialize();

const call = (what, argument) => {
  const bytes = new TextEncoder().encode(argument);
  const at = program.input(bytes.length); // before the memory is looked at: it may grow
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  program[what]();
  return new TextDecoder().decode(new Uint8Array(memory.buffer, program.output(), program.output_size()));
};
const data = element('ergon-data');
const loaded = JSON.parse(call('load', data.startsWith('{') ? data : unpacked(data).toString()));
if ('error' in loaded) {
  console.error(loaded.error);
  process.exit(2);
}
if (timed) console.log(`load ${(performance.now() - started).toFixed(1)} ms`);
for (const request of requests) {
  const from = performance.now();
  const answer = call('answer', request);
  if (timed) console.log(`${(performance.now() - from).toFixed(1)} ms, ${answer.length} bytes`);
  else process.stdout.write(answer.endsWith('\n') ? answer : answer + '\n');
}
