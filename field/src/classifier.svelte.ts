/** The classifier as the page sees it: how far it is, and pictures with what became of them. */
import type { Answer, EngineChoice, Reply, Request, Trouble } from './messages.js';
import type { Site } from './site.js';

export type State =
  | { kind: 'loading'; done: number; total: number }
  | { kind: 'ready'; engine: EngineChoice; kept: boolean }
  | { kind: 'failed'; problem: string };

export interface Looked {
  id: number;
  /** The file's name, or what stands for one. */
  name: string;
  time: string;
  answer?: Answer;
  /** Address of a small picture, once there is one, and the picture itself. */
  thumbnail?: string;
  thumbnailBlob?: Blob;
  trouble?: Trouble;
  /** In the outing. */
  kept?: boolean;
}

export class Classifier {
  state = $state<State>({ kind: 'loading', done: 0, total: 0 });
  /** The last ones first. */
  pictures = $state<Looked[]>([]);
  readonly #site: Site;
  #worker!: Worker;
  #next = 1;

  constructor(site: Site) {
    this.#site = site;
    this.start();
  }

  /** Once, and again where it failed. */
  start(): void {
    this.#worker?.terminate();
    this.state = { kind: 'loading', done: 0, total: 0 };
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), { type: 'module' });
    this.#worker.onmessage = ({ data }: MessageEvent<Reply>) => this.#heard(data);
    this.#worker.onerror = (event) => {
      this.state = { kind: 'failed', problem: event.message || 'the worker did not start' };
    };
    const wish = new URLSearchParams(location.search).get('engine') ?? undefined;
    const base = new URL('./', location.href).href;
    this.#send({ kind: 'start', base, wish, site: $state.snapshot(this.#site) as Site });
  }

  look(files: Iterable<File>): void {
    for (const file of files) {
      const id = this.#next++;
      const time = new Date().toISOString();
      this.pictures.unshift({ id, name: file.name, time });
      this.#send({ kind: 'classify', id, picture: file });
    }
  }

  remove(id: number): void {
    const found = this.pictures.find((picture) => picture.id === id);
    if (found?.thumbnail) URL.revokeObjectURL(found.thumbnail);
    this.pictures = this.pictures.filter((picture) => picture.id !== id);
  }

  clear(): void {
    for (const { id } of [...this.pictures]) this.remove(id);
  }

  #send(request: Request): void {
    this.#worker.postMessage(request);
  }

  #heard(reply: Reply): void {
    if (reply.kind === 'progress') {
      // One file may still be on its way when another has failed.
      if (this.state.kind !== 'failed') this.state = { kind: 'loading', done: reply.done, total: reply.total };
    } else if (reply.kind === 'ready') this.state = { kind: 'ready', engine: reply.engine, kept: reply.kept };
    else if (reply.kind === 'failed') this.state = { kind: 'failed', problem: reply.problem };
    else {
      const picture = this.pictures.find(({ id }) => id === reply.id);
      if (!picture) return;
      if (reply.kind === 'trouble') picture.trouble = reply.trouble;
      else {
        picture.answer = reply.answer;
        picture.thumbnail = URL.createObjectURL(reply.thumbnail);
        picture.thumbnailBlob = reply.thumbnail;
      }
    }
  }
}

/** More likely than not, it shows none of the categories. */
export function showsNone({ unlisted = 0 }: Answer): boolean {
  return unlisted > 0.5;
}
