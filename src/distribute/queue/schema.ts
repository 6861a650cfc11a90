/** What records in the queue must look like. Whoever reaches Redis may have written them; nothing else is believed. */
import { Ajv, type ValidateFunction } from 'ajv';
import type { JobAnswer, RunRecord, WorkerRecord } from './records.js';

/** Longest texts that are taken out of Redis, in bytes. */
export const longest = { run: 2 ** 24, worker: 2 ** 13 } as const;

const hash = { type: 'string', pattern: '^[0-9a-f]{64}$' } as const;
const short = { type: 'string', maxLength: 500 } as const;
const count = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;

const schemas = {
  run: {
    type: 'object',
    required: ['handler', 'files', 'fingerprint', 'salt'],
    additionalProperties: false,
    properties: {
      // Looked up among the handlers a worker knows; what it does not know it says.
      handler: short,
      context: {},
      files: {
        type: 'object',
        maxProperties: 100,
        propertyNames: { pattern: '^[A-Za-z0-9._-]{1,64}$' },
        additionalProperties: {
          type: 'object',
          required: ['name', 'hash', 'bytes'],
          additionalProperties: false,
          properties: { name: { type: 'string', minLength: 1, maxLength: 255 }, hash, bytes: count },
        },
      },
      // Where a coordinator's file server listens: an address, a port, a token.
      address: {
        type: 'string',
        pattern: '^http://([0-9.]{7,15}|\\[[0-9A-Fa-f:.%a-z]{2,60}\\]|[A-Za-z0-9.-]{1,253}):[0-9]{1,5}/[0-9a-f]{48}$',
      },
      fingerprint: hash,
      salt: { type: 'string', pattern: '^[0-9a-f]{32}$' },
    },
  },
  worker: {
    type: 'object',
    required: ['id', 'host', 'pid', 'places', 'running'],
    additionalProperties: false,
    properties: {
      id: short,
      host: short,
      pid: count,
      places: { type: 'integer', minimum: 1, maximum: 4096 },
      running: { type: 'integer', minimum: 0, maximum: 4096 },
      run: { type: 'string', maxLength: 64 },
      trouble: { type: 'string', maxLength: 2000 },
    },
  },
  job: { type: 'object', required: ['id'], properties: { id: { type: 'string', minLength: 1, maxLength: 1000 } } },
  answer: {
    type: 'object',
    required: ['worker'],
    additionalProperties: false,
    properties: {
      worker: short,
      result: {},
      failure: {
        type: 'object',
        required: ['name', 'message'],
        properties: { name: short, message: { type: 'string' }, code: short, hint: { type: 'string' } },
      },
    },
  },
  progress: {
    type: 'object',
    required: ['done'],
    properties: { done: { type: 'number' }, total: { type: 'number' }, detail: { type: 'string', maxLength: 2000 } },
  },
} as const;

interface Kinds {
  run: RunRecord;
  worker: WorkerRecord;
  job: { id: string };
  answer: JobAnswer;
  progress: { done: number; total?: number; detail?: string };
}

const ajv = new Ajv({ allErrors: false });
const validators = Object.fromEntries(
  Object.entries(schemas).map(([kind, schema]) => [kind, ajv.compile(schema)]),
) as Record<keyof Kinds, ValidateFunction>;

/** A value that fits, or undefined. */
export function fitting<K extends keyof Kinds>(kind: K, value: unknown): Kinds[K] | undefined {
  return validators[kind](value) ? (value as Kinds[K]) : undefined;
}

/** From a text that may be no JSON at all. */
export function parsed<K extends keyof Kinds>(kind: K, text: string | null | undefined): Kinds[K] | undefined {
  if (typeof text !== 'string') return undefined;
  try {
    return fitting(kind, JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Names that are safe as parts of keys; BullMQ ends a process over others. */
export function isRunId(id: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(id);
}
