import { describe, expect, it } from 'vitest';
import { Sae } from '../../../src/methods/zero-shot/sae.js';
import { multiply, subtract, transpose } from '../../learner/plain.js';
import { backend, dot, plainAuxiliary, rowsOf, small, steepest } from './small.js';
import '../../allclose.js';

const unit = (vector: number[]) => vector.map((value) => value / Math.sqrt(dot(vector, vector)));

describe('SAE', () => {
  const { data, pictures, labels } = plainAuxiliary(false);
  const vectors = rowsOf(data.classVectors).map(unit);
  const lambda = 0.4;

  it('ends where the losses of encoder and decoder together have no slope', async () => {
    const { encoder_ } = await new Sae({ lambda }).fit(small, { backend });
    const s = labels.map((label) => vectors[label]);
    const squares = (rows: number[][]) => rows.flat().reduce((sum, value) => sum + value ** 2, 0);
    const objective = (point: Float64Array) => {
      const w = Array.from({ length: 5 }, (_, k) => Array.from(point.subarray(9 * k, 9 * k + 9)));
      const decoded = multiply(s, w);
      const encoded = multiply(pictures, transpose(w));
      return squares(subtract(pictures, decoded)) + lambda * squares(subtract(encoded, s));
    };
    expect(steepest(objective, Float64Array.from(encoder_!.data))).toBeLessThan(1e-5);
  });

  it('compares angles in the space it is told to', async () => {
    const cosine = (a: number[], b: number[]) => dot(unit(a), unit(b));
    const x = Array.from(small.testFeatures.row(1));
    const candidates = rowsOf(small.testSemantics).map(unit);
    const semantic = await new Sae({ lambda, space: 'semantic' }).fit(small, { backend });
    const w = rowsOf(semantic.encoder_!);
    const encoded = w.map((row) => dot(row, x));
    expect(semantic.decisionValues(small.testFeatures).row(1)).toBeAllClose(
      candidates.map((candidate) => cosine(encoded, candidate)),
      { tolerance: 1e-9 },
    );
    const visual = await new Sae({ lambda, space: 'visual' }).fit(small, { backend });
    expect(visual.decisionValues(small.testFeatures).row(1)).toBeAllClose(
      multiply(candidates, w).map((decoded) => cosine(decoded, x)),
      { tolerance: 1e-9 },
    );
    expect(() => new Sae({ space: 'both' as 'visual' })).toThrow(/space is "both"/);
  });
});
