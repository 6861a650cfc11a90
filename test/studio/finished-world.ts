/** A small workspace that has been run to its end, and the studio over it. */
import { copyFileSync, writeFileSync } from 'node:fs';
import { type Studio, type StudioOptions, startStudio } from '../../src/studio/index.js';
import { openWorkspace, runWorkspace, type WrittenConfiguration } from '../../src/workspace/index.js';
import { drawPicture, main, makeWorld, type World, writeConfiguration } from '../workspace/world.js';

/** A title that would run as a script if it were taken for markup. */
export const hostileTitle = '<img src=x onerror="window.hit=1"><script>window.hit=1<\u2044script>';

/** @param more of the configuration */
export async function finishedWorld(more: Partial<WrittenConfiguration> = {}): Promise<World> {
  const world = await makeWorld({ auxiliary: 6, test: 6, web: 8 });
  writeFileSync(world.path('web', 'red wren', `${hostileTitle}.png`), await drawPicture('red wren', 999));
  // The same file twice: one of the two is left out as a duplicate.
  copyFileSync(
    world.path('web', 'green jay', 'green jay 00.png'),
    world.path('web', 'green jay', 'green jay again.png'),
  );
  Object.assign(world.configuration, { compare: { methods: ['paper', 'lr', 'eszsl'] }, jobs: 1, ...more });
  writeConfiguration(world);
  await runWorkspace(await openWorkspace(world.folder));
  return world;
}

export function openStudio(world: World, options: Partial<StudioOptions> = {}): Promise<Studio> {
  return startStudio({ workspace: world.folder, runCommand: [process.execPath, main, 'run'], ...options });
}
