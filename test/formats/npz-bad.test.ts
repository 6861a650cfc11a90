import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { crc32, createDeflateRaw } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { FormatError } from '../../src/errors.js';
import { memoryFile, openNpz, readNpz } from '../../src/formats/index.js';
import { npyBytes } from './npy-bytes.js';
import { type HandmadeMember, type HandmadeZip, zipBytes } from './zip-bytes.js';

const good: HandmadeMember = { name: 'a.npy', data: npyBytes() };
const size = good.data.length;

async function refusal(bytes: Uint8Array): Promise<FormatError> {
  const error = await readNpz(memoryFile(bytes, 'bad.npz')).then(
    () => undefined,
    (error) => error,
  );
  expect(error).toBeInstanceOf(FormatError);
  expect(error.file).toContain('bad.npz');
  return error;
}

describe('a .npz archive is refused', () => {
  it.each<[string, HandmadeMember[], HandmadeZip, string]>([
    ['with a wrong CRC, stored', [{ ...good, crc: 1 }], {}, 'bad.npz[a.npy]: the data is damaged: its CRC is'],
    ['with a wrong CRC, deflated', [{ ...good, deflate: true, crc: 1 }], {}, 'the data is damaged: its CRC is'],
    ['with two members of one name', [good, good], {}, 'the zip member "a.npy" occurs twice'],
    ['with members that overlap', [good, { ...good, name: 'b.npy', offset: 0 }], {}, 'overlaps what starts at byte'],
    [
      'with a member that reaches into the directory',
      [{ ...good, size: size + 1, storedSize: size + 1 }],
      {},
      'but the next part of the archive starts at byte',
    ],
    ['with a member beyond the file', [{ ...good, offset: 1e6 }], {}, 'overlaps what starts at byte'],
    ['with a member beyond 2^53', [{ ...good, zip64: true, size: 2 ** 60, storedSize: 2 ** 60 }], {}, 'is impossible'],
    [
      'with a member of a terabyte',
      [{ ...good, zip64: true, size: 2 ** 40, storedSize: 2 ** 40 }],
      {},
      'overlaps what starts at byte',
    ],
    ['with an offset that is not a member', [good, { ...good, name: 'b.npy', offset: 3 }], {}, 'overlaps'],
    [
      'with a local header that is not there',
      [{ ...good, offset: 1, size: 5, storedSize: 5 }],
      {},
      'expected the zip member "a.npy" here',
    ],
    [
      'with another name in the local header',
      [{ ...good, localName: 'b.npy' }],
      {},
      'expected the zip member "a.npy" as in the directory, found "b.npy"',
    ],
    [
      'with a local header that reaches too far',
      [{ ...good, localExtra: 60_000 }],
      {},
      'but the next part of the archive starts',
    ],
    ['with a password', [{ ...good, flags: 1 }], {}, 'is encrypted'],
    [
      'with an unknown compression',
      [{ ...good, method: 14 }],
      {},
      'uses compression method 14; expected 0 (stored) or 8 (deflated)',
    ],
    [
      'with stored data of two sizes',
      [{ ...good, size: size + 1 }],
      {},
      `promises ${size + 1} bytes but occupies ${size}`,
    ],
    [
      'with a size that deflate cannot reach',
      [{ ...good, deflate: true, size: 1e9 }],
      {},
      'deflated bytes cannot hold',
    ],
    [
      'with data that inflates to more than promised',
      [{ ...good, deflate: true, size: size - 48 }],
      {},
      'goes on after the',
    ],
    [
      'with data that inflates to less than promised',
      [{ ...good, deflate: true, size: size + 8 }],
      {},
      'expected the data to end here',
    ],
    [
      'with more after the array',
      [{ ...good, data: Buffer.concat([good.data, Buffer.alloc(8)]) }],
      {},
      'expected the data to end here',
    ],
    ['with stored data called deflated', [{ ...good, method: 8 }], {}, 'the deflated data'],
    ['with a member that is no array', [{ ...good, data: Buffer.from('text') }], {}, 'the .npy signature'],
    ['with more members than records', [good], { count: 2 }, 'cannot be listed in'],
    [
      'with a record behind the end of its directory',
      [{ ...good, name: `${'a'.repeat(100)}.npy` }],
      { count: 2 },
      'expected a record of the zip directory here',
    ],
    ['with a directory outside the file', [good], { directoryOffset: 1e6 }, 'outside the file'],
    ['with a directory of the wrong length', [good], { directoryLength: 1e6 }, 'outside the file'],
    ['with a directory elsewhere', [good], { directoryOffset: 5 }, 'expected a record of the zip directory here'],
    ['with a huge zip64 directory', [good], { zip64: true, directoryLength: 2 ** 50 }, 'outside the file'],
    ['with an impossible zip64 count', [good], { zip64: true, count: 2 ** 60 }, 'is impossible'],
    ['in several parts', [good], { disk: 3 }, 'expected a zip archive in one part'],
  ])('%s', async (_, members, end, message) => {
    expect((await refusal(zipBytes(members, end))).message).toContain(message);
  });

  it('when it is cut anywhere', async () => {
    const bytes = zipBytes([good, { ...good, name: 'b.npy', deflate: true }], { zip64: true });
    for (let length = 0; length < bytes.length; length++) await refusal(bytes.subarray(0, length));
  });

  it('as soon as a member goes on after its promised size, though only its start is read', async () => {
    const header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 2), }";
    const data = npyBytes({ header });
    const bytes = zipBytes([{ name: 'a.npy', data, deflate: true, size: data.length - 16 }]);
    const npz = await openNpz(memoryFile(bytes, 'bad.npz'));
    await expect(npz.read('a', { rows: [0, 1] })).rejects.toThrow('goes on after the');
  });

  it('with zip64 sizes that are missing, an end record that is not there, or a record that is cut', async () => {
    const saturated = zipBytes([{ ...good, size: 0xffffffff, storedSize: 0xffffffff }]);
    expect((await refusal(saturated)).message).toContain('the zip64 sizes of "a.npy" are missing');
    const elsewhere = Buffer.from(zipBytes([good], { zip64: true }));
    const locator = elsewhere.lastIndexOf('PK\x06\x07', undefined, 'latin1');
    elsewhere.writeBigUInt64LE(3n, locator + 8);
    const error = await refusal(elsewhere);
    expect(error.message).toContain('expected the zip64 end record here');
    expect(error.offset).toBe(3);
    const long = Buffer.from(zipBytes([good]));
    const record = long.indexOf('PK\x01\x02', 0, 'latin1');
    long.writeUInt16LE(1, record + 32);
    const beyond = await refusal(long);
    expect(beyond.message).toContain('this record reaches beyond the zip directory');
    expect(beyond.offset).toBe(record);
  });

  it('with a password in any of the ways that zip has', async () => {
    for (const flags of [1, 0x40, 0x2000])
      expect((await refusal(zipBytes([{ ...good, flags }]))).message).toContain('is encrypted');
  });

  it('in several parts that their numbers give away', async () => {
    const bytes = Buffer.from(zipBytes([good]));
    bytes.writeUInt16LE(2, bytes.length - 22 + 8);
    expect((await refusal(bytes)).message).toContain('expected a zip archive in one part');
  });

  it('when it is empty, or another format', async () => {
    expect((await refusal(new Uint8Array(0))).message).toContain('expected a zip archive');
    expect((await refusal(npyBytes())).message).toContain('expected a zip archive');
  });

  it('when deflated data is damaged, naming member and byte', async () => {
    const bytes = zipBytes([{ ...good, deflate: true }]);
    bytes.fill(0xff, 50, 60);
    expect((await refusal(bytes)).message).toMatch(/bad\.npz\[a\.npy\] \(byte \d+\): the deflated data is damaged/);
  });
});

/** Deflated zeros after `start`, made without ever holding them, so that the peak of memory stays telling. */
async function deflatedZeros(start: Uint8Array, zeros: number): Promise<{ data: Buffer; crc: number }> {
  const block = new Uint8Array(2 ** 20);
  let crc = crc32(start);
  function* blocks() {
    yield start;
    for (let done = 0; done < zeros; done += block.length) {
      crc = crc32(block, crc);
      yield block;
    }
  }
  const data = await buffer(Readable.from(blocks()).pipe(createDeflateRaw()));
  return { data, crc };
}

describe('archives made to exhaust memory', () => {
  const zeros = 2 ** 29;
  const header = `{'descr': '|u1', 'fortran_order': False, 'shape': (${zeros}, 1), }`;
  const start = npyBytes({ header, data: new Uint8Array(0) });
  const peak = () => process.resourceUsage().maxRSS * 1024;
  let archive: Uint8Array;

  beforeAll(async () => {
    const deflated = await deflatedZeros(start, zeros);
    archive = zipBytes([{ name: 'bomb.npy', method: 8, size: start.length + zeros, ...deflated }]);
  });

  it('are refused before they are inflated', async () => {
    const before = peak();
    const error = await refusal(archive);
    expect(error.message).toMatch(/would inflate to 536870\d+ bytes from a file of \d+; the limit is 268435456/);
    expect(error.hint).toContain('maximumInflatedBytes');
    expect(peak() - before).toBeLessThan(2 ** 26);
  });

  it('stop inflating where the promised size is exceeded', async () => {
    const honest = npyBytes();
    const deflated = await deflatedZeros(honest, zeros);
    const lying = zipBytes([{ name: 'a.npy', method: 8, size: honest.length, ...deflated }]);
    const before = peak();
    expect((await refusal(lying)).message).toContain(
      `goes on after the ${honest.length} bytes that the archive promises`,
    );
    expect(peak() - before).toBeLessThan(2 ** 26);
  });

  it('can be read by rows in little memory, and whole when asked for', async () => {
    const before = peak();
    const npz = await openNpz(memoryFile(archive));
    const rows = await npz.rows('bomb');
    const target = new Float32Array(1000);
    await rows.readRows(zeros / 2, zeros / 2 + 1000, target);
    expect(target.every((value) => value === 0)).toBe(true);
    expect((await npz.read('bomb', { rows: [5, 10] })).shape).toEqual([5, 1]);
    await rows.close();
    await npz.close();
    expect(peak() - before).toBeLessThan(2 ** 27);
    const trusted = await readNpz(memoryFile(archive), { maximumInflatedBytes: zeros + start.length });
    expect(trusted.get('bomb')?.data.length).toBe(zeros);
  });
});
