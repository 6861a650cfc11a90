/** The file of a model: its matrices as tensors, names and numbers as metadata. */
import { FormatError } from '../errors.js';
import { openSafetensors, toMatrix, writeSafetensors } from '../formats/index.js';
import type { LinearScorer, Model } from './scorer.js';

const format = 'bowerbird-model-1';

export async function saveModel(path: string, model: Model): Promise<void> {
  const { scorer, method, kind, sharpness, strangers, features } = model;
  const { map, weights, bias, names, normalize, power, unitSemantics = false } = scorer;
  const metadata = {
    // The key of the file is older than the spelling of the field.
    ...{ format, method, kind, normalise: normalize },
    ...{ names: JSON.stringify(names), unitSemantics: String(unitSemantics) },
    ...(power !== undefined && { power: String(power) }),
    ...(sharpness && {
      temperature: String(sharpness.temperature),
      spread: String(sharpness.spread),
      doubt: String(sharpness.doubt),
    }),
    ...(strangers && { strangerPower: String(strangers.power), strangerIntercept: String(strangers.intercept) }),
    ...(features !== undefined && { features }),
  };
  const vector = (data: Float64Array) => ({ shape: [data.length], dtype: 'float64' as const, data });
  const arrays = {
    ...(map && { map }),
    weights,
    bias: vector(bias),
    ...(strangers && {
      'strangers.weights': strangers.weights,
      'strangers.bias': vector(strangers.bias),
      'strangers.coefficients': vector(strangers.coefficients),
    }),
  };
  await writeSafetensors(path, arrays, { metadata });
}

/** @throws FormatError for a file that is no model of this version */
export async function loadModel(path: string): Promise<Model> {
  const file = await openSafetensors(path);
  try {
    const { metadata, names: arrays } = file;
    const { method, kind, temperature, spread, doubt, features } = metadata;
    if (metadata.format !== format)
      throw new FormatError(
        path,
        undefined,
        `is not a saved model (format "${metadata.format ?? 'none'}"; "${format}" was expected)`,
        'If an earlier version of bowerbird wrote it, fit again.',
      );
    const matrix = async (name: string) => toMatrix(await file.read(name), 'float64', { name, file: path });
    const vector = async (name: string) => Float64Array.from((await file.read(name)).data as Float64Array);
    const scorer: LinearScorer = {
      ...(arrays.includes('map') && { map: await matrix('map') }),
      weights: await matrix('weights'),
      bias: await vector('bias'),
      normalize: metadata.normalise === 'unit' ? 'unit' : 'none',
      unitSemantics: metadata.unitSemantics === 'true',
      ...(metadata.power !== undefined && { power: Number(metadata.power) }),
      names: JSON.parse(metadata.names) as string[],
    };
    const strangers = arrays.includes('strangers.weights') && {
      weights: await matrix('strangers.weights'),
      bias: await vector('strangers.bias'),
      candidates: scorer.names.length,
      coefficients: await vector('strangers.coefficients'),
      power: Number(metadata.strangerPower),
      intercept: Number(metadata.strangerIntercept),
    };
    return {
      ...{ scorer, method, kind },
      ...(temperature !== undefined && {
        sharpness: { temperature: Number(temperature), spread: Number(spread), doubt: Number(doubt ?? 0) },
      }),
      ...(strangers && { strangers }),
      ...(features !== undefined && { features }),
    };
  } finally {
    await file.close();
  }
}
