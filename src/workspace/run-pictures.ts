/** Which files the web pictures of a fit are, for those who have no more than the folder of its results. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { UsageError } from '../errors.js';
import type { ProblemRows } from './assemble.js';
import type { WebPicture } from './pictures.js';
import { configurationFile } from './read-configuration.js';
import { resultOf } from './stage.js';
import type { StateFile } from './state.js';
import { layout } from './workspace.js';

/** The folders of results in a workspace, the fit first; undefined for a folder that is none. */
export function resultFolders(folder: string): string[] | undefined {
  if (!existsSync(join(folder, configurationFile))) return undefined;
  const found = [layout.run, layout.compare, layout.tune].map((name) => join(folder, name)).filter(existsSync);
  if (found.length > 0) return found;
  throw new UsageError(`${folder} is a workspace without results so far`, `Make them: bowerbird run ${folder}`);
}

/** Paths in the order of the rows; undefined where the folder is not the `run` of a workspace, or the problem is newer. */
export async function picturesOfRun(folder: string): Promise<string[] | undefined> {
  const workspace = dirname(resolve(folder));
  if (resolve(folder) !== join(workspace, layout.run)) return undefined;
  try {
    const { stages } = JSON.parse(await readFile(join(workspace, layout.state), 'utf8')) as StateFile;
    if (stages.fit.inputs[resultOf('problem')] !== stages.problem.output) return undefined;
    const { web } = JSON.parse(await readFile(join(workspace, layout.rows), 'utf8')) as ProblemRows;
    const lines = (await readFile(join(workspace, layout.pictures), 'utf8')).split('\n').filter(Boolean);
    const paths = new Map(lines.map((line) => JSON.parse(line) as WebPicture).map(({ id, path }) => [id, path]));
    return web.map((id) => join(workspace, paths.get(id) ?? id));
  } catch {
    return undefined;
  }
}
