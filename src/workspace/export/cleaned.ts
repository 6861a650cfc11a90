/**
 * What a finished workspace knows about pictures, for other tools: the cleaned web pictures of its categories with weights and
 * provenance, and its answers about the test pictures.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { AnsweredPicture, DataPicture } from '../../datasets/index.js';
import { UsageError } from '../../errors.js';
import { noneOfThese, readAnswers, readFitRecord, readWeightValues, verdict } from '../../fit/index.js';
import type { ProblemRows } from '../assemble.js';
import { UnfinishedError } from '../classifier.js';
import { readDecisions } from '../decisions.js';
import { webPictures } from '../pictures.js';
import { resultOf } from '../stage.js';
import { StageStates } from '../state.js';
import { layout, type Workspace } from '../workspace.js';

/** Web pictures whose label is believed more than not are kept. */
export const defaultLeastWeight = 0.5;

export interface CleanedSet {
  pictures: DataPicture[];
  /** Web pictures that the fit trusted less, or that were dropped by hand. */
  leftOut: number;
}

/**
 * Those that somebody confirmed are in it whatever their weight.
 * @param leastWeight of a picture that is kept
 */
export async function cleanedPictures(workspace: Workspace, leastWeight = defaultLeastWeight): Promise<CleanedSet> {
  const rows = await rowsOfFit(workspace);
  const weights = await readWeightValues(workspace.path(layout.run));
  if (weights?.length !== rows.web.length)
    throw new UsageError(
      'the method of this workspace does not weigh web pictures, so nothing says which are clean',
      'Set learner.method in bowerbird.yaml to one that does, such as bowerbird, and run again.',
    );
  const weight = new Map(rows.web.map((id, i) => [id, weights[i]]));
  const { of: decisions } = await readDecisions(workspace);
  const found = (await webPictures(workspace)).filter(({ id }) => weight.has(id) || decisions.get(id) === 'drop');
  const kept = found.filter(
    ({ id }) => decisions.get(id) !== 'drop' && (decisions.get(id) === 'keep' || (weight.get(id) ?? 0) >= leastWeight),
  );
  const pictures = kept.map((picture): DataPicture => {
    const { id, path, category, title, author, pageUrl, address, licence, licenceUrl } = picture;
    const file = join(workspace.folder, path);
    return {
      ...{ id, file, category, weight: weight.get(id) ?? 1 },
      ...{ title, author, page: pageUrl, address, licence, licenceUrl },
      content: () => readFile(file),
    };
  });
  return { pictures, leftOut: found.length - kept.length };
}

export interface AnsweredSet {
  pictures: AnsweredPicture[];
  /** All that can be said of a picture. */
  choices: string[];
}

/** The answers of the fit about the test pictures, by their paths in the folder `test:`. */
export async function answeredPictures(workspace: Workspace): Promise<AnsweredSet> {
  const { test } = await rowsOfFit(workspace);
  const folder = workspace.path(workspace.configuration.test);
  const { categories } = await readFitRecord(workspace.path(layout.run));
  const answers = await readAnswers(workspace.path(layout.run));
  const tells = answers.some(({ unlisted }) => unlisted !== undefined);
  const pictures = answers.map((answer): AnsweredPicture => {
    const { row, name, confidence, unlisted, runnerUp, runnerUpConfidence, truth } = answer;
    const file = join(folder, test[row]);
    const said = verdict(answer);
    const sureness = said === name ? confidence : unlisted;
    return {
      ...{ id: test[row], file, category: said, best: name },
      ...(sureness !== undefined && { weight: sureness }),
      ...{ confidence, unlisted, runnerUp, runnerUpConfidence, truth },
      content: () => readFile(file),
    };
  });
  return { pictures, choices: [...categories, ...(tells ? [noneOfThese] : [])] };
}

/** Which pictures the rows of the fit are. */
async function rowsOfFit(workspace: Workspace): Promise<ProblemRows> {
  const states = await StageStates.open(workspace);
  const fit = states.get('fit');
  const hint = `Run "bowerbird run ${workspace.folder}" first; "bowerbird status" says what is missing.`;
  if (fit?.state !== 'done') throw new UnfinishedError(`${workspace.folder} has no finished fit yet`, hint);
  if (fit.inputs[resultOf('problem')] !== states.get('problem')?.output)
    throw new UnfinishedError(`the problem of ${workspace.folder} is newer than its fit`, hint);
  return JSON.parse(await readFile(workspace.path(layout.rows), 'utf8')) as ProblemRows;
}
