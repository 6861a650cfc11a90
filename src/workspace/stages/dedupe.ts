/** Duplicates among the web pictures go, and so does what is in the test set or among the auxiliary pictures. */
import { dedupe } from '../../crawl/index.js';
import { writeFileAtomic } from '../../formats/index.js';
import { writeCatalogList } from '../catalog-list.js';
import { keptDuplicates, keptDuplicatesInput } from '../decisions.js';
import { hashOf } from '../fingerprint.js';
import { optionInputs, type Stage } from '../stage.js';
import { layout } from '../workspace.js';
import { crawledCategories } from './crawl.js';

export const dedupeStage: Stage = {
  name: 'dedupe',
  needs: ['crawl'],

  async inputs(workspace) {
    const { configuration, fingerprints, path } = workspace;
    return {
      ...(await keptDuplicatesInput(workspace)),
      ...optionInputs('dedupe', configuration.dedupe),
      'the test pictures': hashOf(await fingerprints.ofFolder(path(configuration.test))),
      'the auxiliary pictures': hashOf(await fingerprints.ofFolder(path(configuration.auxiliary.folder))),
    };
  },

  outputs: async () => [layout.pictures],

  async run(context) {
    const { workspace, signal, onProgress, note } = context;
    const { configuration, path } = workspace;
    const { radius, likeness, leaks } = configuration.dedupe;
    const summary = await dedupe({
      workspace: workspace.folder,
      test: [path(configuration.test)],
      auxiliary: [path(configuration.auxiliary.folder)],
      radius,
      likeness,
      dropLeaks: leaks === 'drop',
      signal,
      onProgress,
    });
    const leaked = summary.merges.filter(({ stays }) => stays.startsWith(path(configuration.test)));
    if (leaked.length > 0) note(`${leaked.length} web pictures were in the test set and are left out`);
    const merges = summary.merges.map((merge) => `${JSON.stringify(merge)}\n`).join('');
    await writeFileAtomic(path(layout.merges), merges);
    const categories = await crawledCategories(workspace);
    const counts = await writeCatalogList(workspace, layout.pictures, categories, {
      duplicates: await keptDuplicates(workspace),
      signal,
      onProgress,
    });
    const kept = [...counts.values()].reduce((sum, count) => sum + count, 0);
    return { summary: `${kept} pictures stay, ${summary.merges.length} duplicates removed` };
  },
};
