// A worker process that knows the handler "toy" and says what happens, one JSON event a line.
import { readFile } from 'node:fs/promises';
import { serveQueue } from '../../dist/distribute/index.js';

const stop = new AbortController();
process.on('SIGTERM', () => stop.abort());
const say = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
const count = await serveQueue({
  places: 1,
  lockMs: 1000,
  ...JSON.parse(process.argv[2]),
  handlers: {
    toy: {
      module: new URL('./toy-handler.mjs', import.meta.url),
      prepare: async (context, files) => {
        for (const [name, path] of Object.entries(files))
          say({ kind: 'file', name, path, text: await readFile(path, 'utf8') });
        return { ...context, counters: new SharedArrayBuffer(12) };
      },
    },
  },
  signal: stop.signal,
  onEvent: say,
});
say({ kind: 'ended', ...count });
// As `bowerbird worker` does: what a queue that does not answer keeps open must not keep the process.
setTimeout(() => process.exit(), 1000).unref();
