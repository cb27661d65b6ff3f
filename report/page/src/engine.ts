// Sends questions to the workers; each answers one after the other.
import workerText from 'made:worker';
import type {Failure, FunctionRow, Given, Source} from './contract';
import type {Coloured} from './pieces';

class Helper {
  private worker: Worker;
  private waiting = new Map<number, {resolve: (value: any) => void; reject: (problem: Error) => void}>();
  private next = 0;
  private since = 0;

  constructor() {
    const address = URL.createObjectURL(new Blob([workerText], {type: 'text/javascript'}));
    this.worker = new Worker(address);
    URL.revokeObjectURL(address);
    this.worker.onmessage = ({data: {id, answer, problem}}) => {
      const {resolve, reject} = this.waiting.get(id)!;
      this.waiting.delete(id);
      this.since = performance.now();
      if (problem)
        reject(new Error(problem));
      else
        resolve(answer);
    };
    this.worker.onerror = event => this.fail(event.message || 'the page’s worker did not start');
  }

  private fail(message: string) {
    for (const {reject} of this.waiting.values())
      reject(new Error(message));
    this.waiting.clear();
  }

  ask(request: object): Promise<any> {
    return new Promise((resolve, reject) => {
      if (!this.waiting.size)
        this.since = performance.now();
      this.waiting.set(this.next, {resolve, reject});
      this.worker.postMessage({id: this.next++, request});
    });
  }

  /// How long it has worked on its current question, in ms.
  get busyMs() {
    return this.waiting.size ? performance.now() - this.since : 0;
  }

  /// Ends the worker: its open questions get no answer.
  end() {
    this.worker.terminate();
    this.waiting.clear();
  }
}

export class Engine {
  private model = new Helper();
  /// A worker of its own, so that no number waits for colours.
  private colours?: Helper;
  private isLoaded = false;

  private constructor(private wasm: string, private data: string) {}

  static async start(wasm: string, data: string): Promise<Engine> {
    const engine = new Engine(wasm, data);
    await engine.load();
    return engine;
  }

  private async load() {
    this.isLoaded = false;
    await this.model.ask({do: 'load', wasm: this.wasm, data: this.data});
    this.isLoaded = true;
  }

  /// How long the model has worked on its current question, in ms.
  get busyMs() {
    return this.isLoaded ? this.model.busyMs : 0;
  }

  /// Ends the model, which nothing else stops, and starts another. Open questions get no answer.
  restart() {
    this.model.end();
    this.model = new Helper();
    void this.load();
  }

  /// No more questions.
  end() {
    this.model.end();
    this.colours?.end();
  }

  source(path: string): Promise<Source> {
    return this.model.ask({do: 'source', path});
  }

  highlight(path: string, text: string): Promise<Coloured | null> {
    this.colours ??= new Helper();
    return this.colours.ask({do: 'highlight', path, text});
  }

  /// Rows of these functions; with \p within_ms as many of them, from the first on, as that is enough for.
  rows(ids: number[], given: Given, within_ms?: number): Promise<FunctionRow[]> {
    return this.model.ask({do: 'rows', ids, given, within_ms});
  }

  /// What the model answers.
  async ask<Answer>(request: object): Promise<Answer | Failure> {
    return JSON.parse(await this.model.ask(request));
  }
}

export const failed = (answer: object): answer is Failure => 'error' in answer;
