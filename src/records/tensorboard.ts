/**
 * Event files of TensorBoard: records of a length, data and a checksum of each, where the data is an `Event` of protocol
 * buffers with scalars, and the parameters as a text.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { WireWriter, writeBeside } from '../formats/index.js';
import { measurements, type RunRecord } from './run-record.js';

/** @returns the file, in a folder of its own for the run, as TensorBoard wants it */
export async function writeEvents(folder: string, record: RunRecord): Promise<string> {
  const run = join(folder, record.name.replace(/[^A-Za-z0-9._-]+/g, '-'));
  await mkdir(run, { recursive: true });
  const file = join(run, `events.out.tfevents.${Math.floor(record.ended / 1000)}.bowerbird.${process.pid}.0`);
  const time = record.ended / 1000;
  await writeBeside(file, async (pending) => {
    const event = () => new WireWriter().double(1, time);
    const write = (message: WireWriter) => pending.append(framed(message.finish()));
    await write(event().text(3, 'brain.Event:2'));
    await write(event().message(5, parameterText(record)));
    for (const { key, value, step } of measurements(record)) {
      const scalar = new WireWriter().message(1, new WireWriter().text(1, key).float(2, value));
      await write(event().integer(2, step).message(5, scalar));
    }
  });
  return file;
}

/** A table in Markdown, which the text page of TensorBoard shows. */
function parameterText({ parameters, tags }: RunRecord): WireWriter {
  const cell = (value: string) => value.replaceAll('|', '\\|').replace(/\s+/g, ' ');
  const rows = Object.entries({ ...parameters, ...tags }).map(([key, value]) => `| ${cell(key)} | ${cell(value)} |\n`);
  const table = `| | |\n| --- | --- |\n${rows.join('')}`;
  const stringType = 7;
  const shape = new WireWriter().message(2, new WireWriter().integer(1, 1));
  const tensor = new WireWriter().integer(1, stringType).message(2, shape).text(8, table);
  const metadata = new WireWriter().message(1, new WireWriter().text(1, 'text'));
  const value = new WireWriter().text(1, 'parameters/text_summary').message(8, tensor).message(9, metadata);
  return new WireWriter().message(1, value);
}

/** Length, its checksum, data, its checksum. */
function framed(data: Uint8Array): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(data.length));
  return Buffer.concat([length, checksum(length), data, checksum(data)]);
}

/** CRC-32C (Castagnoli), rotated and shifted so that a checksum of checksums is none. */
function checksum(data: Uint8Array): Buffer {
  let crc = 0xffffffff;
  for (const byte of data) crc = (table[(crc ^ byte) & 0xff] ^ (crc >>> 8)) >>> 0;
  crc = (crc ^ 0xffffffff) >>> 0;
  const masked = ((((crc >>> 15) | (crc << 17)) >>> 0) + 0xa282ead8) >>> 0;
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(masked);
  return bytes;
}

const table = Uint32Array.from({ length: 256 }, (_, i) => {
  let value = i;
  for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0x82f63b78 : value >>> 1;
  return value >>> 0;
});
