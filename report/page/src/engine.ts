// Asks the worker, one question after the other.
import workerText from 'made:worker';
import type {Failure, Source} from './contract';

export class Engine {
  private worker: Worker;
  private waiting = new Map<number, {resolve: (value: any) => void; reject: (problem: Error) => void}>();
  private next = 0;

  constructor() {
    const address = URL.createObjectURL(new Blob([workerText], {type: 'text/javascript'}));
    this.worker = new Worker(address);
    URL.revokeObjectURL(address);
    this.worker.onmessage = ({data: {id, answer, problem}}) => {
      const {resolve, reject} = this.waiting.get(id)!;
      this.waiting.delete(id);
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

  private send(request: object): Promise<any> {
    return new Promise((resolve, reject) => {
      this.waiting.set(this.next, {resolve, reject});
      this.worker.postMessage({id: this.next++, request});
    });
  }

  load(wasm: string, data: string): Promise<unknown> {
    return this.send({do: 'load', wasm, data});
  }

  source(path: string): Promise<Source> {
    return this.send({do: 'source', path});
  }

  highlight(path: string, text: string): Promise<[string, number][][]> {
    return this.send({do: 'highlight', path, text});
  }

  /// What the model answers.
  async ask<Answer>(request: object): Promise<Answer | Failure> {
    return JSON.parse(await this.send(request));
  }
}

export const failed = (answer: object): answer is Failure => 'error' in answer;
