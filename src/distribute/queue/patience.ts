/** Waiting, but not for ever: a queue that does not answer must not keep anybody from stopping. */

/** Settles like the promise, or rejects with the signal's reason if that comes first. */
export function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(signal.reason);
    signal.addEventListener('abort', stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    if (signal.aborted) stop();
  });
}

/** Waits for what is good to have done, such as clearing up, no longer than this and whatever comes of it. */
export async function atMost(milliseconds: number, ...promises: Promise<unknown>[]): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const over = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, milliseconds);
  });
  await Promise.race([Promise.allSettled(promises), over]);
  clearTimeout(timer);
}
