/** What a crawl and the workers that fetch its pictures say to each other. */
import type { HostPause, NetworkOptions, RequestOutcome } from '../crawl/index.js';

/** Bytes of a file on its way; Redis takes no value beyond twice as many. */
export const largestQueued = 2 ** 28;

export interface DownloadContext {
  /** The queue, as this worker knows it. */
  url: string;
  run: string;
  network: NetworkOptions;
}

export interface DownloadJob {
  id: string;
  url: string;
  maximumBytes: number;
}

/** The outcome without its contents, which lie in the queue under this hash. */
export interface DownloadAnswer {
  outcome: Exclude<RequestOutcome, { bytes: Uint8Array }> | DownloadedPicture;
  /** What hosts asked for meanwhile. */
  pauses: HostPause[];
}

type DownloadedPicture = Omit<Extract<RequestOutcome, { bytes: Uint8Array }>, 'bytes'> & { hash: string };
