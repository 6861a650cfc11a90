/** A small workspace with strangers among its test pictures: birds of one kind that nobody listed. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { openWorkspace, runWorkspace } from '../../src/workspace/index.js';
import {
  auxiliaryNames,
  drawPicture,
  makeWorld,
  testNames,
  type World,
  writeConfiguration,
} from '../workspace/world.js';

export const strangeName = 'pale finch';
const colours = ['amber', 'blue', 'green', 'red', 'pale', 'dark'];
const kinds = ['wren', 'finch', 'jay'];

/** Every bird that is neither listed nor strange is auxiliary; the photo folder has pictures of the strange one too. */
export async function strangeWorld(): Promise<World> {
  const world = await makeWorld({ auxiliary: 6, test: 8, web: 8 });
  let seed = 5000;
  const fill = async (folder: string, name: string, count: number) => {
    mkdirSync(world.path(folder), { recursive: true });
    for (let i = 0; i < count; i++)
      writeFileSync(world.path(folder, `${name} ${i}.png`), await drawPicture(name, seed++));
  };
  for (const name of colours.flatMap((colour) => kinds.map((kind) => `${colour} ${kind}`)))
    if (name !== strangeName && !testNames.includes(name) && !auxiliaryNames.includes(name))
      await fill(`auxiliary/${name}`, name, 6);
  await fill('test/unlisted', strangeName, 8);
  await fill(`web/${strangeName}`, strangeName, 8);
  world.configuration.learner = { method: 'bowerbird', device: 'wasm', threads: 1 };
  writeConfiguration(world);
  await runWorkspace(await openWorkspace(world.folder));
  return world;
}
