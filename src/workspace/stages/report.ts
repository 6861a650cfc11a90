/** The report: one HTML file about the fit, the search and the comparison. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import type { PictureProvider } from '../../report/index.js';
import type { ProblemRows } from '../assemble.js';
import { webPictures } from '../pictures.js';
import type { Stage } from '../stage.js';
import { layout, openWorkspace, type Workspace } from '../workspace.js';
import { compareStage } from './compare.js';
import { tuneStage } from './tune.js';

export const reportStage: Stage = {
  name: 'report',
  needs: ['fit', 'tune', 'compare'],
  omitted: ({ configuration }) => (configuration.report ? undefined : 'report is switched off'),
  inputs: async ({ configuration }) => ({ name: JSON.stringify(configuration.name) }),
  outputs: async () => [layout.report],

  async run({ workspace, signal, onProgress }) {
    const folders = [
      layout.run,
      ...(compareStage.omitted?.(workspace) === undefined ? [layout.compare] : []),
      ...(tuneStage.omitted?.(workspace) === undefined && existsSync(workspace.path(layout.chosen))
        ? [layout.tune]
        : []),
    ];
    const { writeReport } = await import('../../report/index.js');
    const { bytes } = await writeReport(workspace.path(layout.report), {
      folders: folders.map((folder) => workspace.path(folder)).filter(existsSync),
      title: workspace.configuration.name,
      pictures: await picturesOf(workspace),
      signal,
      onProgress,
    });
    return { summary: `${layout.report}, ${Math.max(1, Math.round(bytes / 1e3))} kB` };
  },
};

/** Of a workspace by its folder; undefined where the problem was not put together yet. */
export async function workspacePictures(folder: string): Promise<PictureProvider | undefined> {
  const workspace = await openWorkspace(folder);
  return existsSync(workspace.path(layout.rows)) ? picturesOf(workspace) : undefined;
}

/** The picture in each row of the problem. */
async function picturesOf(workspace: Workspace): Promise<PictureProvider> {
  const rows = JSON.parse(await readFile(workspace.path(layout.rows), 'utf8')) as ProblemRows;
  const pictures = new Map((await webPictures(workspace)).map((picture) => [picture.id, picture]));
  return {
    async webPicture(row) {
      const picture = pictures.get(rows.web[row]);
      return picture && { ...picture, file: workspace.path(picture.path) };
    },
    async testPicture(row) {
      const path = rows.test[row];
      return { file: workspace.path(workspace.configuration.test, path), title: basename(path) };
    },
  };
}
