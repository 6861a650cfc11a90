/** `bowerbird worker`: takes jobs of searches, feature extractions and crawls from a queue. */
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { serveQueue, type WorkerEvent } from '../../distribute/index.js';
import { UsageError } from '../../errors.js';
import { deviceChoices } from '../../linalg/index.js';
import { cacheFolder } from '../../registry/index.js';
import { defineCommand } from '../command.js';
import { requireQueueAddress } from '../executor.js';
import { jobHandlers } from '../job-handlers.js';
import { pluginOption } from '../shared-options.js';
import { amount } from '../table.js';

export default defineCommand({
  name: 'worker',
  summary: 'Take jobs of searches, feature extractions and crawls from a queue.',
  description:
    'Start one on each machine. It waits for runs started with --queue, fetches what they need from the coordinator or a ' +
    'shared folder, checks it, and fits, extracts features or downloads pictures. Ctrl-C gives unfinished jobs back; a worker that dies is noticed and its jobs ' +
    'go to others.',
  arguments: [],
  options: {
    queue: {
      type: 'string',
      placeholder: 'URL',
      description: 'Redis or Valkey: redis://host:6379, rediss:// over TLS.',
    },
    jobs: { type: 'integer', minimum: 1, description: 'Jobs at a time (the number of cores if not given).' },
    folder: { type: 'string', placeholder: 'DIR', description: 'Folder shared with the coordinator, looked at first.' },
    cache: { type: 'string', placeholder: 'DIR', description: 'Where fetched problems are kept.' },
    device: { type: 'choice', choices: deviceChoices, description: 'Compute here, whatever the run says.' },
    ...pluginOption,
    'allow-address': {
      type: 'list',
      placeholder: 'RANGE,…',
      description: 'Address ranges that crawls may reach from here although they are not public, such as 127.0.0.0/8.',
    },
    lock: {
      type: 'number',
      minimum: 0.5,
      default: 15,
      placeholder: 'SECONDS',
      description: 'A job whose worker has been silent this long goes to another.',
    },
    'idle-exit': {
      type: 'number',
      minimum: 0,
      placeholder: 'SECONDS',
      description: 'End after this long without work (never if not given).',
    },
  },
  examples: [
    { command: 'bowerbird worker --queue redis://head:6379', explanation: 'Help with whatever runs there.' },
    {
      command: 'bowerbird worker --queue redis://head:6379 --jobs 4 --folder /data --idle-exit 600',
      explanation: 'Four jobs at a time, problems from a shared folder, end after ten idle minutes.',
    },
  ],
  async run({ options, print, printJson, progress, signal }) {
    if (!options.queue)
      throw new UsageError(
        '--queue is missing: where are the jobs?',
        'Try: bowerbird worker --queue redis://localhost:6379',
      );
    requireQueueAddress(options.queue);
    const places = options.jobs ?? availableParallelism();
    let done = 0;
    const onEvent = (event: WorkerEvent) => {
      if (event.kind === 'job') {
        done++;
        const detail = `${event.id} ${event.failed ? 'failed' : `${event.seconds.toFixed(1)} s`}`;
        progress.update({ stage: 'jobs', done, detail });
      } else if (event.kind === 'trouble') progress.note(`cannot work for run ${event.run}: ${event.message}`);
      else progress.note(event.kind === 'attached' ? `working for run ${event.run}` : `left run ${event.run}`);
    };
    progress.note(`waiting for jobs, ${places} at a time; Ctrl-C ends the worker`);
    const count = await serveQueue({
      url: options.queue,
      handlers: jobHandlers({
        url: options.queue,
        device: options.device,
        plugins: options.plugin?.map((path) => pathToFileURL(path).href),
        allowedAddresses: options['allow-address'],
      }),
      places,
      folder: options.folder,
      cache: options.cache ?? join(cacheFolder(), 'problems'),
      lockMs: options.lock * 1000,
      idleExitMs: options['idle-exit'] === undefined ? undefined : options['idle-exit'] * 1000,
      signal,
      onEvent,
    });
    // Connections to a queue that does not answer must not keep the process.
    setTimeout(() => process.exit(), 1000).unref();
    printJson(count);
    print(`${amount(count.jobs, 'job')} done${count.failed > 0 ? `, ${count.failed} of them failed` : ''}`);
    return 0;
  },
});
