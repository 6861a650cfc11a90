/** A small workspace that has been run to its end, and a site made of it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { exportSite, type SiteOptions, type SiteSummary } from '../../src/field/index.js';
import { openWorkspace, runWorkspace, type Workspace } from '../../src/workspace/index.js';
import { auxiliaryNames, makeWorld, testNames, type World, writeConfiguration } from '../workspace/world.js';

export interface FieldWorld {
  world: World;
  workspace: Workspace;
  /** Exports into a folder of its own. */
  export(options?: SiteOptions): Promise<{ folder: string; summary: SiteSummary }>;
  remove(): void;
}

export const ownPictures = { licence: 'cc-by', author: 'Ada Lane' };

export async function fieldWorld(): Promise<FieldWorld> {
  const world = await makeWorld({ auxiliary: 6, test: 6, web: 8 });
  // A method that tells strangers.
  world.configuration.learner = { method: 'bowerbird', device: 'wasm', threads: 1 };
  // And attributes with names, which the page can talk about.
  const rows = [...auxiliaryNames, ...testNames].map((name) => {
    const [colour, kind] = name.split(' ');
    return `${name},${colour},${{ wren: 0.2, finch: 0.5, jay: 0.9 }[kind]}`;
  });
  writeFileSync(world.path('attributes.csv'), `name,colour,fine stripes\n${rows.join('\n')}\n`);
  world.configuration.semantics = ['words', { attributes: 'attributes.csv' }];
  writeConfiguration(world);
  const workspace = await openWorkspace(world.folder);
  await runWorkspace(workspace);
  const folders: string[] = [];
  return {
    world,
    workspace,
    async export(options = {}) {
      const folder = mkdtempSync(join(tmpdir(), 'bowerbird-field-'));
      folders.push(folder);
      const summary = await exportSite(workspace, folder, { precision: 'float32', own: ownPictures, ...options });
      return { folder, summary };
    },
    remove() {
      world.remove();
      for (const folder of folders) rmSync(folder, { recursive: true, force: true });
    },
  };
}
