/** Parameters of a method as the command line gives them: a file, and NAME=VALUE. */
import { readFile } from 'node:fs/promises';
import { FormatError, UsageError } from '../errors.js';
import { fileError } from '../formats/index.js';
import { currentName, type MethodSpec } from '../methods/index.js';
import { type ParameterValue, resolveParameters } from '../parameters.js';

/** Parameters from a file, overruled by NAME=VALUE of the command line. */
export async function givenParameters(
  spec: MethodSpec,
  file: string | undefined,
  settings: readonly string[] = [],
): Promise<Record<string, ParameterValue>> {
  const parameters: Record<string, ParameterValue> = file ? await parametersOf(file, spec.name) : {};
  for (const setting of settings) {
    const [name, ...rest] = setting.split('=');
    const text = rest.join('=');
    if (rest.length === 0 || text === '') throw new UsageError(`--set ${setting}: NAME=VALUE was expected`);
    parameters[name] = Number.isFinite(Number(text)) ? Number(text) : text;
  }
  resolveParameters(spec.name, spec.parameters, parameters, UsageError);
  return parameters;
}

/** What `--params` names. */
export async function readParameterFile(path: string): Promise<unknown> {
  const text = await readFile(path, 'utf8').catch((error) => {
    throw fileError(path, error, 'opened');
  });
  try {
    return JSON.parse(text.replace(/^\ufeff/, ''));
  } catch (error) {
    throw new FormatError(
      path,
      undefined,
      `is not JSON: ${(error as Error).message}`,
      'Give chosen.json of "bowerbird tune".',
    );
  }
}

async function parametersOf(path: string, method: string): Promise<Record<string, ParameterValue>> {
  const parsed = await readParameterFile(path);
  const record = (parsed as { parameters?: unknown } | null)?.parameters ?? parsed;
  if (typeof record !== 'object' || record === null || Array.isArray(record)) {
    const found = Array.isArray(record) ? 'a list' : record === null ? 'nothing' : `a ${typeof record}`;
    throw new UsageError(`--params ${path} holds ${found}; an object such as {"lambda1": 0.01} was expected`);
  }
  const made = currentName(String((parsed as { method?: unknown }).method ?? method));
  if (made !== method)
    throw new UsageError(
      `--params ${path} holds parameters of ${made}, and this is a fit of ${method}`,
      `Add --method ${made}.`,
    );
  return { ...record } as Record<string, ParameterValue>;
}
