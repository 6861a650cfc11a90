import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openWorkspace, type Workspace, workspaceStatus } from '../../src/workspace/index.js';
import { lockWorkspace, workIsOn } from '../../src/workspace/lock.js';

let workspace: Workspace;
beforeEach(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'bowerbird-lock-'));
  writeFileSync(join(folder, 'bowerbird.yaml'), 'categories: [a, b]\nauxiliary: x\ntest: y\n');
  workspace = await openWorkspace(folder);
});
afterEach(() => rmSync(workspace.folder, { recursive: true, force: true }));

it('lets one run at a time into a workspace', async () => {
  const free = await lockWorkspace(workspace);
  await expect(lockWorkspace(workspace)).rejects.toThrow(/is at work in/);
  await free();
  await (await lockWorkspace(workspace))();
  expect(readdirSync(workspace.path('.bowerbird', 'locks'))).toEqual([]);
});

/** Numbers of processes end far below this. */
function leaveClaim(name = '2147483646_'): void {
  mkdirSync(workspace.path('.bowerbird', 'locks'), { recursive: true });
  writeFileSync(workspace.path('.bowerbird', 'locks', name), '');
}

it('does not mind the claim of a process that was killed', async () => {
  leaveClaim();
  await (await lockWorkspace(workspace))();
});

it('never lets two in, however many want it at the same moment after a run was killed', async () => {
  for (let round = 0; round < 30; round++) {
    leaveClaim();
    let [inside, most, entered] = [0, 0, 0];
    const enter = async () => {
      const free = await lockWorkspace(workspace).catch((error: { code: string }) => {
        expect(error.code).toBe('BOWERBIRD_WORKSPACE_IN_USE');
      });
      if (!free) return;
      entered++;
      most = Math.max(most, ++inside);
      await wait(2);
      inside--;
      await free();
    };
    await Promise.all(Array.from({ length: 6 }, enter));
    expect(most).toBeLessThanOrEqual(1);
    expect(entered).toBeGreaterThan(0);
  }
});

it.skipIf(process.platform !== 'linux')('does not mind the lock of an earlier process of the same number', async () => {
  const free = await lockWorkspace(workspace);
  const [name] = readdirSync(workspace.path('.bowerbird', 'locks'));
  const [number, mark] = name.split('_');
  expect([number, /^[-0-9a-f]{36}\+\d+$/.test(mark)]).toEqual([String(process.pid), true]);
  expect(await workIsOn(workspace)).toBe(true);
  await free();
  // As after a container that was killed and started again, where numbers begin anew.
  leaveClaim(`${number}_${mark}1_ffffffff`);
  expect(await workIsOn(workspace)).toBe(false);
  await (await lockWorkspace(workspace))();
});

it.skipIf(process.platform !== 'linux')('knows when a process began, whatever its program is called', async () => {
  const title = process.title;
  process.title = 'a) b (c';
  try {
    const free = await lockWorkspace(workspace);
    const [name] = readdirSync(workspace.path('.bowerbird', 'locks'));
    await free();
    // Under a plain name the fields of proc(5) are easily counted: the 22nd is when it began.
    process.title = 'plain';
    const fields = readFileSync(`/proc/${process.pid}/stat`, 'utf8').split(' ');
    expect(fields[1]).toBe('(plain)');
    expect(name.split('_')[1].split('+')[1]).toBe(fields[21]);
  } finally {
    process.title = title;
  }
});

it('names the file where the lock cannot be written', async () => {
  writeFileSync(workspace.path('.bowerbird'), 'a file where a folder should be');
  await expect(lockWorkspace(workspace)).rejects.toMatchObject({ code: 'BOWERBIRD_FILE' });
});

it.each([
  '{"version":1}',
  '{"version":1,"stages":null}',
  '{"version":1,"stages":{"words":7,"crawl":{"state":"done"}}}',
  'null',
  '{"versi',
])('takes a state of %s for one that was never written', async (content) => {
  mkdirSync(workspace.path('.bowerbird'));
  writeFileSync(workspace.path('.bowerbird', 'stages.json'), content);
  const [first] = await workspaceStatus(workspace);
  expect(first.state).not.toBe('done');
});

it('lets status say that a stage is at work, as long as the run lives', async () => {
  const record = { version: 1, stages: { words: { state: 'running', inputs: {} } } };
  const words = async () => (await workspaceStatus(workspace)).find(({ stage }) => stage === 'words');
  const free = await lockWorkspace(workspace);
  writeFileSync(workspace.path('.bowerbird', 'stages.json'), JSON.stringify(record));
  expect(await words()).toMatchObject({ state: 'running', reason: 'at work now' });
  await free();
  expect((await words())?.state).not.toBe('running');
});
