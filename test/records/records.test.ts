/** Records where people keep them: event files, read by a reader that is not ours, and a server that answers as MLflow does. */
import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { logRun, type RunRecord, writeEvents } from '../../src/records/index.js';
import { temporaryFolder } from '../temporary-folder.js';
import { hasNumpy } from '../tools.js';

const folder = temporaryFolder();
const record: RunRecord = {
  experiment: 'birds',
  name: 'bowerbird 2026-01-01T00:00:00',
  parameters: { lambda: '0.5', 'paper-wsl.lambda2': '1', note: 'x'.repeat(900) },
  metrics: { accuracy: 0.75, broken: Number.NaN },
  curves: { 'trace/objective': [3, 2, 1.5] },
  tags: { problem: 'abc', 'a|b': 'c' },
  started: 1_700_000_000_000,
  ended: 1_700_000_060_000,
};

/** Reads an event file with nothing but the standard library: framing, masked CRC-32C bit by bit, protocol buffers. */
const reader = `
import json, struct, sys
def crc32c(data):
    crc = 0xffffffff
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = (crc >> 1) ^ (0x82f63b78 if crc & 1 else 0)
    crc ^= 0xffffffff
    return ((crc >> 15 | crc << 17) + 0xa282ead8) & 0xffffffff
def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift; shift += 7; at += 1
        if data[at - 1] < 128: return value, at
def fields(data):
    at, found = 0, {}
    while at < len(data):
        key, at = varint(data, at)
        kind = key & 7
        if kind == 0: value, at = varint(data, at)
        elif kind == 1: value, at = struct.unpack('<d', data[at:at + 8])[0], at + 8
        elif kind == 5: value, at = struct.unpack('<f', data[at:at + 4])[0], at + 4
        else:
            size, at = varint(data, at); value, at = data[at:at + size], at + size
        found[key >> 3] = value
    return found
data, at, events = open(sys.argv[1], 'rb').read(), 0, []
while at < len(data):
    size, check = struct.unpack('<QI', data[at:at + 12])
    body = data[at + 12:at + 12 + size]
    assert crc32c(data[at:at + 8]) == check and crc32c(body) == struct.unpack('<I', data[at + 12 + size:at + 16 + size])[0]
    at += 16 + size
    event = fields(body)
    entry = {'time': event[1], 'step': event.get(2, 0), 'version': event.get(3, b'').decode()}
    if 5 in event:
        value = fields(fields(event[5])[1])
        entry['tag'] = value[1].decode()
        if 2 in value: entry['value'] = value[2]
        else: entry['text'] = fields(value[8])[8].decode(); entry['plugin'] = fields(fields(value[9])[1])[1].decode()
    events.append(entry)
print(json.dumps(events))
`;

describe.skipIf(!hasNumpy)('an event file of TensorBoard', () => {
  it('holds metrics, curves and parameters, with checksums that an independent reader confirms', async () => {
    const file = await writeEvents(join(folder, 'logs'), record);
    expect(file).toMatch(/logs\/bowerbird-2026-01-01T00-00-00\/events\.out\.tfevents\.1700000060\./);
    const events = JSON.parse(execFileSync('python3', ['-c', reader, file], { encoding: 'utf8' }));
    expect(events[0]).toEqual({ time: 1_700_000_060, step: 0, version: 'brain.Event:2' });
    expect(events[1]).toMatchObject({
      tag: 'parameters/text_summary',
      plugin: 'text',
      text: expect.stringContaining('| lambda | 0.5 |\n'),
    });
    expect(events[1].text).toContain('| a\\|b | c |');
    expect(
      events.slice(2).map(({ tag, step, value }: { tag: string; step: number; value: number }) => [tag, step, value]),
    ).toEqual([
      ['accuracy', 0, 0.75],
      ['trace/objective', 0, 3],
      ['trace/objective', 1, 2],
      ['trace/objective', 2, 1.5],
    ]);
    expect(readdirSync(join(folder, 'logs', 'bowerbird-2026-01-01T00-00-00'))).toHaveLength(1);
  });
});

describe('a server of MLflow', () => {
  let server: Server;
  let address: string;
  let asked: { path: string; body: Record<string, never>; authorization?: string }[];
  let experiments: Map<string, string>;
  let refuseBatches: boolean;

  beforeAll(async () => {
    server = createServer(async (request, response) => {
      let text = '';
      for await (const chunk of request) text += chunk;
      const path = request.url!.replace('/api/2.0/mlflow/', '');
      const body = text ? JSON.parse(text) : {};
      asked.push({ path, body, authorization: request.headers.authorization });
      const { status, answer } = answerOf(path, body);
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(answer));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());
  beforeEach(() => {
    asked = [];
    experiments = new Map();
    refuseBatches = false;
    vi.unstubAllEnvs();
  });

  /** As the service does, with its limits. */
  function answerOf(path: string, body: { name?: string; metrics?: unknown[]; params?: { value: string }[] }) {
    const missing = { status: 404, answer: { error_code: 'RESOURCE_DOES_NOT_EXIST', message: 'No such experiment' } };
    const invalid = {
      status: 400,
      answer: { error_code: 'INVALID_PARAMETER_VALUE', message: 'too much in one batch' },
    };
    const [verb, query] = path.split('?');
    if (verb === 'experiments/get-by-name') {
      const id = experiments.get(new URLSearchParams(query).get('experiment_name')!);
      return id ? { status: 200, answer: { experiment: { experiment_id: id } } } : missing;
    }
    if (verb === 'experiments/create') {
      experiments.set(body.name!, '7');
      return { status: 200, answer: { experiment_id: '7' } };
    }
    if (verb === 'runs/create') return { status: 200, answer: { run: { info: { run_id: 'run1' } } } };
    if (verb === 'runs/log-batch') {
      const { metrics = [], params = [] } = body;
      const tooMuch = metrics.length > 1000 || params.length > 100 || params.some(({ value }) => value.length > 500);
      return refuseBatches || tooMuch ? invalid : { status: 200, answer: {} };
    }
    return verb === 'runs/update' ? { status: 200, answer: {} } : missing;
  }

  it('gets an experiment, a run, parameters, metrics with steps, and the end', async () => {
    vi.stubEnv('MLFLOW_TRACKING_TOKEN', 'secret');
    const long = { ...record, curves: { objective: Array.from({ length: 2000 }, (_, i) => i) } };
    expect(await logRun(`${address}/`, long)).toBe('run1');
    const paths = asked.map(({ path }) => path.split('?')[0]);
    expect(paths).toEqual([
      'experiments/get-by-name',
      'experiments/create',
      'runs/create',
      ...Array(4).fill('runs/log-batch'),
      'runs/update',
    ]);
    const metrics = asked.flatMap(({ body }) => (body.metrics ?? []) as { key: string; value: number; step: number }[]);
    expect(metrics).toHaveLength(2001);
    expect(metrics[0]).toMatchObject({ key: 'accuracy', value: 0.75, step: 0 });
    expect(metrics.at(-1)).toMatchObject({ key: 'objective', value: 1999, step: 1999, timestamp: record.ended });
    expect(asked.find(({ body }) => body.params)!.body.params).toContainEqual({ key: 'paper-wsl.lambda2', value: '1' });
    expect(asked.find(({ path }) => path === 'runs/create')!.body.tags).toContainEqual({ key: 'a_b', value: 'c' });
    expect(asked.at(-1)!.body).toMatchObject({ run_id: 'run1', status: 'FINISHED' });
    expect(new Set(asked.map(({ authorization }) => authorization))).toEqual(new Set(['Bearer secret']));
    asked = [];
    await logRun(address, record);
    expect(asked.map(({ path }) => path)).not.toContain('experiments/create');
  });

  it('is told that a run failed when it refuses part of it', async () => {
    refuseBatches = true;
    await expect(logRun(address, record)).rejects.toThrow(/answered 400 to runs\/log-batch: too much in one batch/);
    expect(asked.at(-1)!.body).toMatchObject({ status: 'FAILED' });
  });

  it('that is not there is named', async () => {
    await expect(logRun('http://127.0.0.1:9', record)).rejects.toThrow(
      /MLflow at http:\/\/127\.0\.0\.1:9 cannot be reached/,
    );
  });
});
