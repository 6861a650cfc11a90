/**
 * One network in one thread: takes batches of pixels, gives back features. The runtime's own call blocks its thread,
 * which is why the main thread, busy with reading and decoding, does not make it.
 */
import { parentPort, workerData } from 'node:worker_threads';
import { BowerbirdError } from '../errors.js';
import { Network, type NetworkOptions } from './network.js';

export interface BatchRequest {
  readonly pixels: Uint8Array<ArrayBuffer>;
  readonly count: number;
}

export type WorkerReply =
  | { readonly type: 'ready'; readonly dimension: number }
  | {
      readonly type: 'features';
      readonly features: Float32Array<ArrayBuffer>;
      readonly pixels: Uint8Array<ArrayBuffer>;
    }
  | { readonly type: 'failed'; readonly error: PlainError };

/** What survives the way between threads; classes do not. */
export interface PlainError {
  readonly name: string;
  readonly code: string | undefined;
  readonly message: string;
  readonly hint: string | undefined;
}

const port = parentPort!;

function send(reply: WorkerReply, transfer: ArrayBuffer[] = []): void {
  port.postMessage(reply, transfer);
}

function sendError(error: unknown): void {
  const known = error instanceof BowerbirdError ? error : undefined;
  const { name, message } = error as Error;
  send({ type: 'failed', error: { name, code: known?.code, message, hint: known?.hint } });
}

async function serve(network: Network): Promise<void> {
  send({ type: 'ready', dimension: network.dimension });
  for await (const request of requests()) {
    try {
      const features = (await network.run(request.pixels, request.count)) as Float32Array<ArrayBuffer>;
      const own = features.byteLength === features.buffer.byteLength ? features : features.slice();
      send({ type: 'features', features: own, pixels: request.pixels }, [own.buffer, request.pixels.buffer]);
    } catch (error) {
      sendError(error);
    }
  }
  await network.close();
}

/** Batches in the order they arrive, until a null. */
async function* requests(): AsyncGenerator<BatchRequest> {
  const queue: (BatchRequest | null)[] = [];
  let wake = () => {};
  port.on('message', (request: BatchRequest | null) => {
    queue.push(request);
    wake();
  });
  for (;;) {
    while (queue.length > 0) {
      const request = queue.shift()!;
      if (request === null) return;
      yield request;
    }
    await new Promise<void>((resolve) => {
      wake = resolve;
    });
  }
}

Network.open(workerData as NetworkOptions)
  .then(serve)
  .catch(sendError)
  .finally(() => port.close());
