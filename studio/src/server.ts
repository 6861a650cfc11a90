/** Questions to the studio's server, and errors as it words them. */
import type { Failure } from '../../src/studio/api.js';

export class ServerError extends Error {
  readonly hint: string | undefined;

  constructor(message: string, hint?: string) {
    super(message);
    this.hint = hint;
  }
}

export function get<T>(path: string, signal?: AbortSignal): Promise<T> {
  return answer(fetch(path, { signal }));
}

export function post<T>(path: string, body: unknown = {}): Promise<T> {
  const own = { 'x-bowerbird-studio': '1' };
  if (body instanceof Blob) return answer(fetch(path, { method: 'POST', body, headers: own }));
  const headers = { ...own, 'content-type': 'application/json' };
  return answer(fetch(path, { method: 'POST', body: JSON.stringify(body), headers }));
}

async function answer<T>(asked: Promise<Response>): Promise<T> {
  let response: Response;
  try {
    response = await asked;
  } catch {
    throw new ServerError('The studio does not answer.', 'Is “bowerbird studio” still running?');
  }
  if (response.ok) return (await response.json()) as T;
  const failure = (await response.json().catch(() => undefined)) as Failure | undefined;
  throw new ServerError(failure?.error.message ?? `${response.status} ${response.statusText}`, failure?.error.hint);
}

export function pictureAddress(side: 'small' | 'large', set: string, id: string): string {
  return `api/picture/${side}/${set}/${encodeURIComponent(id)}`;
}
