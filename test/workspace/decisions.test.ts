import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  decisionInputs,
  keptDuplicates,
  orphanedDecisions,
  readDecisions,
  recordDecision,
  undoDecision,
} from '../../src/workspace/decisions.js';
import { openWorkspace, type Workspace } from '../../src/workspace/index.js';

let folder: string;
let workspace: Workspace;
const file = () => join(folder, '.bowerbird', 'decisions.jsonl');
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'bowerbird-decisions-'));
  writeFileSync(join(folder, 'bowerbird.yaml'), 'categories: [a, b]\nauxiliary: aux\ntest: test\n');
  workspace = await openWorkspace(folder);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));
const standing = async () => Object.fromEntries((await readDecisions(workspace)).of);

describe('decisions about web pictures', () => {
  it('are none where nobody has decided', async () => {
    expect(await readDecisions(workspace)).toMatchObject({ of: new Map(), answers: new Map(), undoable: 0 });
  });

  it('stand until another is made about the same picture', async () => {
    await recordDecision(workspace, 'drop', ['x', 'y']);
    await recordDecision(workspace, 'keep', ['y', 'z']);
    await recordDecision(workspace, 'none', ['x']);
    expect(await standing()).toEqual({ y: 'keep', z: 'keep' });
  });

  it('are undone one after the other, also the undoing of a clearing', async () => {
    await recordDecision(workspace, 'drop', ['x', 'y']);
    await recordDecision(workspace, 'none', ['x']);
    await undoDecision(workspace);
    expect(await standing()).toEqual({ x: 'drop', y: 'drop' });
    await undoDecision(workspace);
    await undoDecision(workspace);
    expect(await standing()).toEqual({});
    await recordDecision(workspace, 'keep', ['z']);
    expect(await standing()).toEqual({ z: 'keep' });
  });

  it('are never rewritten', async () => {
    await recordDecision(workspace, 'drop', ['x']);
    const before = readFileSync(file(), 'utf8');
    await undoDecision(workspace);
    expect(readFileSync(file(), 'utf8').startsWith(before)).toBe(true);
  });

  it('survive a line that a kill left torn', async () => {
    await recordDecision(workspace, 'drop', ['x']);
    appendFileSync(file(), '{"at":"2026-01-01","decision":"dr');
    await recordDecision(workspace, 'keep', ['y']);
    expect(await standing()).toEqual({ x: 'drop', y: 'keep' });
  });

  it('are counted where the crawl no longer has their pictures', async () => {
    expect(await orphanedDecisions(workspace)).toBe(0);
    await recordDecision(workspace, 'drop', ['x']);
    await recordDecision(workspace, 'keep', ['y', 'z']);
    writeFileSync(join(folder, '.bowerbird', 'crawled.jsonl'), '{"id":"y"}\n{"id":"other"}\n');
    expect(await orphanedDecisions(workspace)).toBe(2);
  });

  it('are the same input for a stage in whatever order they were made', async () => {
    expect(await decisionInputs(workspace)).toEqual({});
    await recordDecision(workspace, 'drop', ['x']);
    await recordDecision(workspace, 'drop', ['y']);
    const inputs = await decisionInputs(workspace);
    await undoDecision(workspace);
    expect(await decisionInputs(workspace)).not.toEqual(inputs);
    await undoDecision(workspace);
    await recordDecision(workspace, 'drop', ['y', 'x']);
    expect(await decisionInputs(workspace)).toEqual(inputs);
    await recordDecision(workspace, 'keep', ['z']);
    const kept = await decisionInputs(workspace);
    expect(kept).toEqual({ ...inputs, 'the pictures kept by hand': expect.any(String) });
    await undoDecision(workspace);
    await recordDecision(workspace, 'keep', ['w']);
    expect(await decisionInputs(workspace)).not.toEqual(kept);
  });

  it('take back duplicates of other web pictures, never of test pictures', async () => {
    const [web, leak, other] = ['a', 'b', 'c'].map((letter) => letter.repeat(24));
    await recordDecision(workspace, 'keep', [web, leak, other]);
    const merges = [
      { removed: web, stays: 'd'.repeat(24) },
      { removed: leak, stays: join(folder, 'test', 'bird.jpg') },
    ];
    writeFileSync(
      join(folder, '.bowerbird', 'merges.jsonl'),
      merges.map((merge) => `${JSON.stringify(merge)}\n`).join(''),
    );
    expect(await keptDuplicates(workspace)).toEqual([web]);
  });
});
