// Damaged MATLAB 7.3 files: whatever a checksum, a filter or the index of chunks can tell must be refused, because the
// HDF5 library would hand out zeros, or what its memory held before, in place of the data.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateSync } from 'node:zlib';
import { File, ready } from 'h5wasm/node';
import { beforeAll, describe, expect, it } from 'vitest';
import { FormatError } from '../../src/errors.js';
import { type MatNumbers, readMat } from '../../src/formats/index.js';
import fc from '../property.js';
import { temporaryFolder } from '../temporary-folder.js';

const folder = temporaryFolder();
const file = join(folder, 'damaged.mat');
const data = Float64Array.from({ length: 6 * 40 }, (_, i) => Math.sin(i) + 2);

type Kind = 'deflated' | 'fletcher32' | 'deflated, many chunks' | 'newest layout';
const kinds: readonly Kind[] = ['deflated', 'fletcher32', 'deflated, many chunks', 'newest layout'];
const whole = new Map<Kind, Buffer>();

beforeAll(async () => {
  await ready;
  for (const kind of kinds) {
    const path = join(folder, 'whole.mat');
    const written = new File(path, 'w', kind === 'newest layout' ? { libver: 'latest' } : {});
    const filter = kind === 'fletcher32' ? { compression: 3, compression_opts: [] } : { compression: 'gzip' as const };
    const chunks = kind === 'deflated, many chunks' ? [1, 2] : [10, 4];
    const dataset = written.create_dataset({ name: 'x', data, shape: [40, 6], chunks, ...filter });
    dataset.create_attribute('MATLAB_class', 'double', [], 'S6');
    written.close();
    whole.set(kind, readFileSync(path));
  }
});

type Outcome = 'whole' | 'refused' | 'wrong';

async function outcome(bytes: Uint8Array): Promise<Outcome> {
  writeFileSync(file, bytes);
  try {
    const x = (await readMat(file)).get('x') as MatNumbers;
    return x.shape.join() === '6,40' && x.data.every((value, i) => Object.is(value, data[i])) ? 'whole' : 'wrong';
  } catch (error) {
    expect(error).toBeInstanceOf(FormatError);
    return 'refused';
  }
}

/** From the index of chunks on, or all of a file of the newest layout, which has checksums everywhere. */
function span(kind: Kind): { start: number; end: number } {
  const bytes = whole.get(kind) as Buffer;
  const header = bytes.indexOf('TREE', bytes.indexOf('MATLAB_class'));
  return { start: kind === 'newest layout' ? 0 : header, end: bytes.length };
}

describe('a damaged MATLAB 7.3 file', () => {
  it.each(kinds)('is whole before it is damaged: %s', async (kind) => {
    expect(await outcome(whole.get(kind) as Buffer)).toBe('whole');
  });

  it.each(kinds)('is never read as other numbers: one changed byte in index or chunks, %s', async (kind) => {
    const bytes = whole.get(kind) as Buffer;
    const { start, end } = span(kind);
    const place = fc.integer({ min: start, max: end - 1 });
    const change = fc.integer({ min: 1, max: 255 });
    let refused = 0;
    await fc.assert(
      fc.asyncProperty(place, change, async (at, mask) => {
        const damaged = Buffer.from(bytes);
        damaged[at] ^= mask;
        const result = await outcome(damaged);
        if (result === 'refused') refused++;
        expect(result, `byte ${at} changed by ${mask}`).not.toBe('wrong');
      }),
      { numRuns: Number(process.env.BOWERBIRD_CASES) || (process.env.BOWERBIRD_LONG ? 3000 : 200) },
    );
    expect(refused).toBeGreaterThan(0);
  });

  it.each(kinds)('is never read as other numbers: a run of bytes lost or overwritten, %s', async (kind) => {
    const bytes = whole.get(kind) as Buffer;
    const { start, end } = span(kind);
    const run = fc.record({
      at: fc.integer({ min: start, max: end - 1 }),
      length: fc.integer({ min: 1, max: 64 }),
      fill: fc.constantFrom(0, 0xff, 0x5a),
      cut: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(run, async ({ at, length, fill, cut }) => {
        const damaged = cut ? bytes.subarray(0, at) : Buffer.from(bytes).fill(fill, at, Math.min(end, at + length));
        expect(await outcome(damaged), `${length} bytes at ${at}`).not.toBe('wrong');
      }),
      { numRuns: Number(process.env.BOWERBIRD_CASES) || (process.env.BOWERBIRD_LONG ? 2000 : 100) },
    );
  });

  it('says what is missing when chunks were never written', async () => {
    await ready;
    const written = new File(file, 'w');
    const dataset = written.create_dataset({ name: 'x', data, shape: [40, 6], maxshape: [null, 6], chunks: [10, 6] });
    dataset.resize([70, 6]);
    dataset.create_attribute('MATLAB_class', 'double', [], 'S6');
    written.close();
    await expect(readMat(file)).rejects.toThrow('variable "x" has 4 of 7 chunks in the file');
  });

  // Made with h5py 3.7: a dataset "x" of 3 × 2 doubles whose elements lie in "elsewhere.raw" and in the file itself.
  const outside = {
    'elsewhere.raw':
      'eNrr9HBx4+WS4mIAAQ4OBhYGAQZk8B8KNrCi8mHyCVCaEUp3QOkVTDBxRrCcBFRcEGo+urqQIFdXkOr/aABmTwYLhOZgGAUjEXi4OgaA6AgoH5ZKTzChqqtAS48eFNrLCExxjEgGMjJoQGgmiAAzVB3MGZh8CbBWQQV7aNp1YDDhZjD5D1XICjWfiQliIDvQfEaodaCcY4Aj3RswwMQhOYuZEZZjDFDUCUF1gszbyPkriweqk5GBFyjDweDrGOLj6BSfnJNYXAwSFwYqZEMKv5T80qScVMx4kEAL5wAWVPel5hSnlmekFqXqFSWWA/nBfv4ujODQhAAF5tE0TQ4AAJKJRwk=',
    'self.mat':
      'eNrr9HBx4+WS4mIAAQ4OBhYGAQZk8B8KNrCi8mHyCVCaEUp3QOkVTDBxRrCcBFRcEGo+urqQIFdXkOr/aABmTwYLhOZgGAUjEXi4OgaA6AgoH5ZKTzChqqtAS48eFNrLCExxjEgGMjJoQGgmiAAzVB3MGZh8CbBWQQV7aNp1YDDhZjD5D1XICjWfiQliIDvQfEaodaCcY4Aj3RswwMQhOYuZEZZjDFDUCUF1gszbyPkriweqk5GBFyjDweDrGOLj6BSfnJNYXAwSFwYqZEMKv5T80qScVMx4kEAL5wAWVPcVp+ak6eUmlsD4wX7+Lozg0IQABebRNE0OAADIzETn',
  };

  it.each(Object.entries(outside))('with elements in %s is refused', async (_, encoded) => {
    const path = join(folder, 'self.mat');
    writeFileSync(path, inflateSync(Buffer.from(encoded, 'base64')));
    writeFileSync(join(folder, 'elsewhere.raw'), new Float64Array(6).fill(7));
    await expect(readMat(path)).rejects.toThrow('variable "x" lies in other files');
  });
});
