/** Named arrays, wherever they lie: in a `.npz` archive, a `.mat` file or a folder of `.npy` files. */
import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { FormatError } from '../errors.js';
import type { ArrayHeader, NdArray } from '../formats/index.js';
import {
  type ArrayRows,
  matToArray,
  openFile,
  openNpyRows,
  openNpz,
  readMat,
  readNpy,
  readNpyHeader,
} from '../formats/index.js';

export interface ArraySource {
  /** The file or folder, for messages. */
  readonly path: string;
  readonly names: readonly string[];
  has(name: string): boolean;
  header(name: string): Promise<ArrayHeader>;
  read(name: string): Promise<NdArray>;
  /** The rows of an array of numbers, block by block; where a file can only be read whole, there is no such thing. */
  rows?(name: string): Promise<ArrayRows>;
  close(): Promise<void>;
}

/** Opens a `.npz` archive, a `.mat` file or a folder of `.npy` files; it must be closed. */
export async function openArrays(path: string): Promise<ArraySource> {
  if (await isFolder(path)) return openFolder(path);
  if (path.endsWith('.mat')) return openMat(path);
  const file = await openFile(path);
  try {
    const start = await file.read(0, Math.min(4, file.size));
    if (start[0] !== 0x50 || start[1] !== 0x4b)
      throw new FormatError(
        path,
        0,
        'is not a .npz archive',
        'Problems are read from a .npz archive, a .mat file, a folder of .npy files, or a pair of res101.mat and att_splits.mat.',
      );
  } finally {
    await file.close();
  }
  return openNpz(path);
}

/** All variables are read at once: MATLAB files have no table of contents. */
async function openMat(path: string): Promise<ArraySource> {
  const variables = await readMat(path);
  const read = async (name: string) => {
    const value = variables.get(name);
    if (value === undefined) throw new FormatError(path, undefined, `there is no variable "${name}"`);
    return matToArray(value, { name, file: path });
  };
  return {
    path,
    names: [...variables.keys()],
    has: (name) => variables.has(name),
    header: read,
    read,
    close: async () => {},
  };
}

export async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (status) => status.isDirectory(),
    () => false,
  );
}

async function openFolder(path: string): Promise<ArraySource> {
  const names = (await readdir(path))
    .filter((name) => name.endsWith('.npy'))
    .map((name) => name.slice(0, -4))
    .sort();
  const file = (name: string) => {
    if (!names.includes(name)) throw new FormatError(path, undefined, `there is no array "${name}"`);
    return join(path, `${name}.npy`);
  };
  return {
    path,
    names,
    has: (name) => names.includes(name),
    header: async (name) => readNpyHeader(file(name)),
    read: async (name) => readNpy(file(name)),
    rows: async (name) => openNpyRows(file(name)),
    close: async () => {},
  };
}
