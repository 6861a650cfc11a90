/** Asks before something is replaced: on a terminal in words, elsewhere by refusing without an option that allows it. */
import { createInterface } from 'node:readline/promises';
import { InterruptedError, UsageError } from '../errors.js';
import type { OptionSpec } from './command.js';

export const replaceOption = {
  replace: { type: 'flag', description: 'Replace what is there without asking.' },
} as const satisfies Record<string, OptionSpec>;

interface Terminal {
  input: NodeJS.ReadStream;
  output: NodeJS.WriteStream;
}

/**
 * Returns when the thing may be replaced.
 * @param what what is there already, as the beginning of a sentence
 * @throws UsageError where nobody can be asked, InterruptedError where the answer is no
 */
export async function confirmReplacing(
  what: string,
  options: { replace: boolean; signal?: AbortSignal },
  { input, output }: Terminal = { input: process.stdin, output: process.stderr },
): Promise<void> {
  if (options.replace) return;
  if (!input.isTTY || !output.isTTY) throw new UsageError(what, 'Add --replace to replace it, or give another name.');
  const lines = createInterface({ input, output });
  try {
    const answer = await lines.question(`${what}. Replace it? [y/N] `, { signal: options.signal });
    if (!/^y(es)?$/i.test(answer.trim())) throw new InterruptedError('nothing was replaced');
  } finally {
    lines.close();
  }
}
