import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { distil } from '../../src/field/distil.js';
import { answerRows, classifyFeatures, type Model } from '../../src/fit/index.js';
import { createBackend } from '../../src/linalg/index.js';
import { pictureFeatures } from '../../src/vision/index.js';
import { openClassifier } from '../../src/workspace/index.js';
import { tinyModel } from '../vision/tiny-model.js';
import { drawPicture, testNames } from '../workspace/world.js';
import { type FieldWorld, fieldWorld } from './field-world.js';

describe('a smaller network', () => {
  let field: FieldWorld;
  let teacher: Model;
  beforeAll(async () => {
    field = await fieldWorld();
    ({ model: teacher } = await openClassifier(field.workspace));
  }, 120_000);
  afterAll(() => field?.remove());

  it('learns to answer new pictures as the classifier of the workspace does, and how sure it may be', async () => {
    // Other weights: its features have nothing in common with the teacher's.
    const network = await tinyModel(field.world.folder, 21);
    const { model, loss } = await distil(field.workspace, teacher, network, {});
    expect(model.scorer.names).toEqual(teacher.scorer.names);
    expect(model.strangers === undefined).toBe(teacher.strangers === undefined);
    expect(loss.pictures).toBe(18);
    expect(loss.agreement).toBeGreaterThan(0.6);
    expect(loss.accuracyAfter).toBeGreaterThan(0.6);
    const drawn = testNames.flatMap((name, c) =>
      Array.from({ length: 6 }, (_, i) => ({ name, seed: 5000 + 50 * c + i })),
    );
    const pictures = [];
    for (const { name, seed } of drawn)
      pictures.push({ id: String(seed), path: name, content: await drawPicture(name, seed) });
    const { features, ids } = await pictureFeatures(pictures, network);
    const backend = await createBackend({ device: 'wasm', threads: 1 });
    try {
      const answers = classifyFeatures(model, features, backend);
      const rows = answerRows(answers);
      const truth = ids.map((id) => drawn.find(({ seed }) => String(seed) === id)!.name);
      expect(rows.filter(({ name }, i) => name === truth[i]).length / rows.length).toBeGreaterThan(0.7);
      for (const { row, unlisted = 0 } of rows) {
        const sum = Array.from(answers.chances!.row(row)).reduce((total, chance) => total + chance, 0);
        expect(sum + unlisted).toBeCloseTo(1, 6);
      }
    } finally {
      backend.dispose();
    }
  });
});
