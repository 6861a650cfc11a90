/** Fetches pictures for a crawl that runs elsewhere: one request a job, within limits that all its workers share. */
import { PictureRequester } from '../crawl/index.js';
import { connectQueue, handOver, SharedTurns } from '../distribute/index.js';
import { ArgumentError } from '../errors.js';
import { type DownloadAnswer, type DownloadContext, type DownloadJob, largestQueued } from './download-messages.js';

export async function open({ url, run, network }: DownloadContext) {
  if (!/^[0-9a-f]{16}$/.test(run)) throw new ArgumentError(`"${run}" is no run of a crawl`);
  const redis = await connectQueue(url);
  const turns = new SharedTurns(redis, run, { owner: false });
  const requester = new PictureRequester({ ...network, shared: turns });
  return {
    async handle(job: DownloadJob, { signal }: { signal: AbortSignal }): Promise<DownloadAnswer> {
      const maximumBytes = Math.min(job.maximumBytes, largestQueued);
      const outcome = await requester.ask({ url: job.url, maximumBytes }, signal);
      const pauses = requester.takePauses();
      if (!('bytes' in outcome)) return { outcome, pauses };
      const { bytes, ...rest } = outcome;
      return { outcome: { ...rest, hash: await handOver(redis, run, job.id, Buffer.from(bytes)) }, pauses };
    },
    async close() {
      turns.close();
      await requester.close();
      redis.disconnect();
    },
  };
}
