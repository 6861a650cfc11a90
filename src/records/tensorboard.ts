/**
 * Event files of TensorBoard: records of a length, data and a checksum of each, where the data is an `Event` of protocol
 * buffers with scalars, and the parameters as a text.
 */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { writeBeside } from '../formats/index.js';
import { measurements, type RunRecord } from './run-record.js';

/** @returns the file, in a folder of its own for the run, as TensorBoard wants it */
export async function writeEvents(folder: string, record: RunRecord): Promise<string> {
  const run = join(folder, record.name.replace(/[^A-Za-z0-9._-]+/g, '-'));
  await mkdir(run, { recursive: true });
  const file = join(run, `events.out.tfevents.${Math.floor(record.ended / 1000)}.bowerbird.${process.pid}.0`);
  const time = record.ended / 1000;
  await writeBeside(file, async (pending) => {
    const write = (event: Buffer) => pending.append(framed(event));
    await write(Buffer.concat([double(1, time), text(3, 'brain.Event:2')]));
    await write(Buffer.concat([double(1, time), message(5, parameterText(record))]));
    for (const { key, value, step } of measurements(record)) {
      const scalar = message(1, Buffer.concat([text(1, key), float(2, value)]));
      await write(Buffer.concat([double(1, time), integer(2, step), message(5, scalar)]));
    }
  });
  return file;
}

/** A table in Markdown, which the text page of TensorBoard shows. */
function parameterText({ parameters, tags }: RunRecord): Buffer {
  const cell = (value: string) => value.replaceAll('|', '\\|').replace(/\s+/g, ' ');
  const rows = Object.entries({ ...parameters, ...tags }).map(([key, value]) => `| ${cell(key)} | ${cell(value)} |\n`);
  const table = `| | |\n| --- | --- |\n${rows.join('')}`;
  const [stringType, pluginData] = [7, message(1, text(1, 'text'))];
  const tensor = Buffer.concat([integer(1, stringType), message(2, message(2, integer(1, 1))), text(8, table)]);
  return message(1, Buffer.concat([text(1, 'parameters/text_summary'), message(8, tensor), message(9, pluginData)]));
}

/** Length, its checksum, data, its checksum. */
function framed(data: Buffer): Buffer {
  const length = Buffer.alloc(8);
  length.writeBigUInt64LE(BigInt(data.length));
  return Buffer.concat([length, checksum(length), data, checksum(data)]);
}

/** CRC-32C (Castagnoli), rotated and shifted so that a checksum of checksums is none. */
function checksum(data: Buffer): Buffer {
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

function varint(value: number): Buffer {
  const bytes: number[] = [];
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) + 128);
  return Buffer.from([...bytes, rest]);
}

const tag = (field: number, type: number) => varint(field * 8 + type);
const integer = (field: number, value: number) => Buffer.concat([tag(field, 0), varint(value)]);
const message = (field: number, content: Buffer) => Buffer.concat([tag(field, 2), varint(content.length), content]);
const text = (field: number, content: string) => message(field, Buffer.from(content));

function double(field: number, value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleLE(value);
  return Buffer.concat([tag(field, 1), bytes]);
}

function float(field: number, value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return Buffer.concat([tag(field, 5), bytes]);
}
