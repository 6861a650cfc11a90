/** What must hold in a workspace after whatever happened to it: nothing half-written, nothing doubled, files as recorded. */
import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { openCatalog, type PictureRow } from '../../src/catalog/index.js';

const filled = ['fetched', 'checked', 'kept'];

/** After the command that was disturbed has been run again to its end. */
export async function expectWhole(workspace: string): Promise<PictureRow[]> {
  const catalog = await openCatalog(workspace, { mustExist: true });
  const rows: PictureRow[] = [];
  for await (const row of catalog.pictures()) rows.push(row);
  const { damagedRecords } = catalog;
  await catalog.close();
  expect(damagedRecords).toBe(0);
  expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
  const named = new Set<string>();
  for (const row of rows.filter(({ state }) => filled.includes(state))) {
    const file = join(workspace, row.path!);
    named.add(row.path!);
    expect(sha256(file), row.path).toBe(row.fileSha256 ?? row.sha256);
  }
  expect(filesBelow(join(workspace, 'pictures')).filter((name) => !named.has(`pictures/${name}`))).toEqual([]);
  expect(filesBelow(workspace).filter((name) => name.endsWith('.part'))).toEqual([]);
  return rows;
}

/** Right after the disturbance: whatever has its final name is whole. */
export function expectReadable(workspace: string): void {
  for (const name of filesBelow(workspace)) {
    const file = join(workspace, name);
    if (name.endsWith('.json') && !name.endsWith('progress.json')) JSON.parse(readFileSync(file, 'utf8'));
    if (/\.(npz|npy|safetensors)$/.test(name)) expect(statSync(file).size, name).toBeGreaterThan(0);
    if (/^\.bowerbird\/.*\.jsonl$/.test(name))
      for (const line of readFileSync(file, 'utf8').split('\n').filter(Boolean)) JSON.parse(line);
  }
}

export function filesBelow(folder: string): string[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort();
}

function sha256(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

/** What a run leaves behind, without times. */
export function results(workspace: string): Record<string, string> {
  const files = [
    'problem.npz',
    'run/predictions.csv',
    'run/calibration.json',
    'tune/chosen.json',
    'words/semantics.npz',
  ];
  const present = files.filter((name) => existsSync(join(workspace, name)));
  return Object.fromEntries(present.map((name) => [name, readFileSync(join(workspace, name), 'latin1')]));
}
