// The model as WebAssembly: the C++ that `ergon predict` runs. JSON text goes in, JSON text comes out.

interface Model {
  memory: WebAssembly.Memory;
  _initialize?: () => void;
  /// Where the next input goes, of this size.
  input(size: number): number;
  output(): number;
  output_size(): number;
  load(): void;
  answer(): void;
}

const ENOSYS = 52;
const EBADF = 8;

/// The system calls of the C library. There are no files, no clock and no network; a message goes
/// to the console.
function system(memory: () => WebAssembly.Memory): Record<string, (...given: number[]) => number> {
  const decoder = new TextDecoder();
  return {
    fd_write(to, vectors, count, written) {
      if (to !== 1 && to !== 2)
        return EBADF;
      const view = new DataView(memory().buffer);
      let size = 0, text = '';
      for (let at = vectors; at < vectors + 8 * count; at += 8) {
        const length = view.getUint32(at + 4, true);
        text += decoder.decode(new Uint8Array(memory().buffer, view.getUint32(at, true), length), {stream: true});
        size += length;
      }
      view.setUint32(written, size, true);
      console.warn(`model: ${text.trimEnd()}`);
      return 0;
    },
    proc_exit(status) {
      throw new Error(`the model ended with status ${status}`);
    },
  };
}

/// Makes the module ready with its data; the result answers requests.
export async function loadModel(module: Uint8Array<ArrayBuffer>, data: Uint8Array): Promise<(request: string) => string> {
  let model: Model | undefined;
  const compiled = await WebAssembly.compile(module);
  const given = system(() => model!.memory);
  const imports: WebAssembly.Imports = {};
  for (const {module: from, name, kind} of WebAssembly.Module.imports(compiled))
    if (kind === 'function')
      (imports[from] ??= {})[name] = given[name] ?? (() => ENOSYS);
  model = (await WebAssembly.instantiate(compiled, imports)).exports as unknown as Model;
  model._initialize?.();

  const call = (what: 'load' | 'answer', bytes: Uint8Array): string => {
    const at = model!.input(bytes.length) >>> 0;
    new Uint8Array(model!.memory.buffer, at, bytes.length).set(bytes);
    model![what]();
    return new TextDecoder().decode(new Uint8Array(model!.memory.buffer, model!.output() >>> 0, model!.output_size() >>> 0));
  };
  const {error} = JSON.parse(call('load', data));
  if (error)
    throw new Error(error);
  const encoder = new TextEncoder();
  return request => call('answer', encoder.encode(request));
}
