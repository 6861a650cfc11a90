/** MATLAB files of any version that is read: the content decides, not the name. */
import { FormatError } from '../errors.js';
import { withFile } from './file.js';
import type { MatValue } from './mat-value.js';
import { headerBytes, type ReadMatOptions, readMat5 } from './mat5.js';
import { readMat73 } from './mat73.js';

const hdf5Signature = [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a];

/**
 * The variables of a MATLAB file by name, in the order of the file.
 * @example
 * const variables = await readMat('att_splits.mat', { variables: ['att', 'allclasses_names'] });
 * const attributes = matColumns(variables.get('att')!); // one row for each column of att
 */
export async function readMat(path: string, options: ReadMatOptions = {}): Promise<Map<string, MatValue>> {
  const version = await withFile(path, async (file) => {
    const start = await file.read(0, Math.min(file.size, 520), 'the start of a MATLAB file');
    if (hdf5Signature.every((byte, i) => start[i] === byte || start[512 + i] === byte)) return 7.3;
    if (file.size < headerBytes)
      throw new FormatError(
        path,
        0,
        `is not a MATLAB file: it has ${file.size} bytes, the header alone takes ${headerBytes}`,
      );
    return 5;
  });
  return version === 5 ? readMat5(path, options) : readMat73(path, options);
}
