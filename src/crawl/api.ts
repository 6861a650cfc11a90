/** JSON answers of the sources' APIs. */
import { FetchFailure, Refusal } from './network/failure.js';
import type { HttpClient } from './network/http.js';
import { type RetryOptions, withRetries } from './network/retry.js';
import type { Api, Question } from './sources/source.js';

const largestAnswer = 32 * 2 ** 20;

export function jsonApi(http: HttpClient, retry: RetryOptions): Api {
  return { json: (url, question = {}) => withRetries(() => ask(http, url, question, retry.signal), retry) };
}

async function ask(http: HttpClient, url: URL, question: Question, signal?: AbortSignal): Promise<unknown> {
  const options = {
    maximumBytes: largestAnswer,
    signal,
    form: question.form,
    headers: { accept: 'application/json', ...question.headers },
  };
  try {
    return await http.get(url.href, options, async ({ body }) => {
      const chunks: Buffer[] = [];
      for await (const chunk of body) chunks.push(chunk);
      const answer = parse(Buffer.concat(chunks), url);
      question.validate?.(answer);
      return answer;
    });
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    throw new FetchFailure('unexpected-answer', `${url.host} answered with too much: ${error.message}`);
  }
}

function parse(bytes: Buffer, url: URL): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    // A gateway's error page, or an answer cut short: often gone at the next try.
    throw new FetchFailure('server', `${url.host} answered with something that is not JSON`);
  }
}
