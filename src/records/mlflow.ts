/**
 * Runs in MLflow, through its REST interface (version 2.0): the experiment is found or made, a run is made in it, parameters,
 * tags and metrics go in batches, and the run is closed. MLFLOW_TRACKING_TOKEN, or MLFLOW_TRACKING_USERNAME and
 * MLFLOW_TRACKING_PASSWORD, say who we are.
 */
import { EnvHttpProxyAgent, fetch } from 'undici';
import { BowerbirdError } from '../errors.js';
import { measurements, type RunRecord } from './run-record.js';

/** A record could not be kept where it was asked for. */
export class RecordError extends BowerbirdError {
  constructor(message: string, hint?: string, cause?: unknown) {
    super('BOWERBIRD_RECORD', message, { hint, cause });
  }
}

/** Of one request, as the interface allows it. */
const mostMetrics = 900;
const mostParameters = 100;
const longestValue = 500;
const seconds = 30;

/**
 * @param server such as `http://127.0.0.1:5000`
 * @returns the id of the run
 */
export async function logRun(server: string, record: RunRecord, signal?: AbortSignal): Promise<string> {
  const client = new Client(server, signal);
  const experiment = await client.experiment(record.experiment);
  const entries = (values: Readonly<Record<string, string>>) =>
    Object.entries(values).map(([key, value]) => ({ key: keyOf(key), value: value.slice(0, longestValue) }));
  const { run } = await client.post<{ run?: { info?: { run_id?: string } } }>('runs/create', {
    experiment_id: experiment,
    run_name: record.name,
    start_time: record.started,
    tags: [{ key: 'mlflow.runName', value: record.name }, ...entries(record.tags)],
  });
  const id = run?.info?.run_id;
  if (typeof id !== 'string') throw client.strange('runs/create');
  try {
    const parameters = entries(record.parameters);
    for (let from = 0; from < parameters.length; from += mostParameters)
      await client.post('runs/log-batch', { run_id: id, params: parameters.slice(from, from + mostParameters) });
    const metrics = [...measurements(record)].map(({ key, ...rest }) => ({
      key: keyOf(key),
      timestamp: record.ended,
      ...rest,
    }));
    for (let from = 0; from < metrics.length; from += mostMetrics)
      await client.post('runs/log-batch', { run_id: id, metrics: metrics.slice(from, from + mostMetrics) });
    await client.post('runs/update', { run_id: id, status: 'FINISHED', end_time: record.ended });
  } catch (error) {
    // Half a run is not to be taken for a whole one.
    await client.post('runs/update', { run_id: id, status: 'FAILED', end_time: record.ended }).catch(() => {});
    throw error;
  }
  return id;
}

/** Letters, digits and a few signs are allowed. */
const keyOf = (key: string) => key.replace(/[^\w./ -]+/g, '_').slice(0, 250);

class Client {
  readonly #server: string;
  readonly #signal: AbortSignal | undefined;

  constructor(server: string, signal?: AbortSignal) {
    this.#server = server.replace(/\/+$/, '');
    this.#signal = signal;
  }

  async experiment(name: string): Promise<string> {
    const path = `experiments/get-by-name?experiment_name=${encodeURIComponent(name)}`;
    const known = await this.#ask<{ experiment?: { experiment_id?: string } }>(path, { method: 'GET' }, 404);
    const id =
      known?.experiment?.experiment_id ??
      (await this.post<{ experiment_id?: string }>('experiments/create', { name })).experiment_id;
    if (typeof id !== 'string') throw this.strange('experiments/create');
    return id;
  }

  async post<T = unknown>(path: string, body: object): Promise<T> {
    return (await this.#ask<T>(path, { method: 'POST', body: JSON.stringify(body) }))!;
  }

  strange(path: string): RecordError {
    return new RecordError(
      `${this.#server} does not answer ${path} as MLflow does`,
      'Check the address under records.mlflow.',
    );
  }

  /** @param absent the status that means there is no such thing */
  async #ask<T>(path: string, init: { method: string; body?: string }, absent?: number): Promise<T | undefined> {
    const timeout = AbortSignal.timeout(1000 * seconds);
    const signal = this.#signal ? AbortSignal.any([this.#signal, timeout]) : timeout;
    let status: number;
    let words: string;
    try {
      const response = await fetch(`${this.#server}/api/2.0/mlflow/${path}`, {
        ...init,
        signal,
        headers: { 'content-type': 'application/json', ...credentials() },
        dispatcher: new EnvHttpProxyAgent(),
      });
      status = response.status;
      words = await response.text();
    } catch (error) {
      this.#signal?.throwIfAborted();
      const cause = (error as Error).cause as Error | undefined;
      throw new RecordError(
        `MLflow at ${this.#server} cannot be reached: ${cause?.message ?? (error as Error).message}`,
        'Start it (mlflow server), or take records.mlflow out of bowerbird.yaml.',
        error,
      );
    }
    if (status === absent) return undefined;
    let answer: (T & { message?: unknown }) | undefined;
    try {
      answer = JSON.parse(words || '{}');
    } catch {
      // Said below.
    }
    if (status >= 400)
      throw new RecordError(
        `MLflow at ${this.#server} answered ${status} to ${path.split('?')[0]}: ${String(answer?.message ?? '').slice(0, 300)}`,
      );
    if (answer === undefined) throw this.strange(path);
    return answer;
  }
}

function credentials(): Record<string, string> {
  const {
    MLFLOW_TRACKING_TOKEN: token,
    MLFLOW_TRACKING_USERNAME: user,
    MLFLOW_TRACKING_PASSWORD: password,
  } = process.env;
  if (token) return { authorization: `Bearer ${token}` };
  if (user) return { authorization: `Basic ${Buffer.from(`${user}:${password ?? ''}`).toString('base64')}` };
  return {};
}
