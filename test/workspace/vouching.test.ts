/** What becomes of a web picture that a person keeps: the problem marks it, and the fit trusts it. */
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readNpy, readNpz } from '../../src/formats/index.js';
import { readProblem } from '../../src/problem/index.js';
import type { ProblemRows } from '../../src/workspace/assemble.js';
import { recordDecision, undoDecision } from '../../src/workspace/decisions.js';
import {
  exportClassifier,
  openWorkspace,
  runWorkspace,
  type StageName,
  type Workspace,
  workspaceStatus,
} from '../../src/workspace/index.js';
import { layout } from '../../src/workspace/workspace.js';
import { makeWorld, type World, writeConfiguration } from './world.js';

let world: World;
let workspace: Workspace;
async function ran(): Promise<StageName[]> {
  const { stages } = await runWorkspace(await openWorkspace(world.folder));
  return stages.filter(({ outcome }) => outcome === 'ran').map(({ stage }) => stage);
}
const rows = () => JSON.parse(readFileSync(workspace.path(layout.rows), 'utf8')) as ProblemRows;
const problem = () => readProblem(workspace.path(layout.problem));
const read = async (name: string) => Array.from((await readNpy(world.path('run', name))).data, Number);

beforeAll(async () => {
  world = await makeWorld();
  world.configuration.learner = { method: 'bowerbird', device: 'wasm', threads: 1 };
  writeConfiguration(world);
  workspace = await openWorkspace(world.folder);
  await ran();
}, 60_000);
afterAll(() => world.remove());

it('a picture kept by hand is marked in the problem and fully trusted by the fit, and both are made again', async () => {
  expect((await problem()).webVouched).toBeUndefined();
  const [theta, scores] = [await read('weights.npy'), await read('scores.npy')];
  const least = theta.indexOf(Math.min(...theta));
  expect(theta[least]).toBeLessThan(0.5);
  await recordDecision(workspace, 'keep', [rows().web[least]]);
  const status = await workspaceStatus(await openWorkspace(world.folder));
  expect(status.find(({ stage }) => stage === 'problem')).toMatchObject({
    state: 'stale',
    reason: expect.stringContaining('the pictures kept by hand'),
  });
  expect(await ran()).toEqual(['problem', 'fit']);
  expect([...(await problem()).webVouched!]).toEqual(theta.map((_, i) => (i === least ? 1 : 0)));
  expect((await read('weights.npy'))[least]).toBe(1);
  expect(await read('scores.npy')).not.toEqual(scores);

  await exportClassifier(await openWorkspace(world.folder), world.path('out'), ['xlsa17']);
  expect(readFileSync(world.path('out', 'MODEL_CARD.md'), 'utf8')).toContain('1 of them vouched for by hand');
  const web = await readNpz(world.path('out', 'web.npz'));
  expect([...(web.get('web_vouched')!.data as Uint8Array)]).toEqual([...(await problem()).webVouched!]);

  await undoDecision(workspace);
  expect(await ran()).toEqual(['problem', 'fit']);
  expect((await problem()).webVouched).toBeUndefined();
  expect(await read('weights.npy')).toEqual(theta);
  expect(await read('scores.npy')).toEqual(scores);
});

it('a picture of a validation category kept by hand changes neither the problem nor the fit', async () => {
  await recordDecision(workspace, 'keep', [rows().validationWeb[0]]);
  expect(await ran()).toEqual(['problem']);
});
