import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
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
  expect(existsSync(workspace.path('.bowerbird', 'lock'))).toBe(false);
});

it('does not mind the lock of a process that was killed', async () => {
  mkdirSync(workspace.path('.bowerbird'));
  // Numbers of processes end far below this.
  writeFileSync(workspace.path('.bowerbird', 'lock'), '2147483646\n');
  await (await lockWorkspace(workspace))();
});

it.skipIf(process.platform !== 'linux')('does not mind the lock of an earlier process of the same number', async () => {
  const file = workspace.path('.bowerbird', 'lock');
  const free = await lockWorkspace(workspace);
  const [number, mark] = readFileSync(file, 'utf8').split('\n');
  expect([number, /^[-0-9a-f]{36} \d+$/.test(mark)]).toEqual([String(process.pid), true]);
  expect(await workIsOn(workspace)).toBe(true);
  await free();
  // As after a container that was killed and started again, where numbers begin anew.
  writeFileSync(file, `${number}\n${mark}1\n`);
  expect(await workIsOn(workspace)).toBe(false);
  await (await lockWorkspace(workspace))();
});

it('names the file where the lock cannot be written', async () => {
  writeFileSync(workspace.path('.bowerbird'), 'a file where a folder should be');
  await expect(lockWorkspace(workspace)).rejects.toMatchObject({ code: 'BOWERBIRD_FILE' });
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
