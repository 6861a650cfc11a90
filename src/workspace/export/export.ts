/** Writes the classifier of a finished workspace for use elsewhere. */
import { copyFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { type CatalogPatience, openCatalog, writeAttribution } from '../../catalog/index.js';
import { UsageError } from '../../errors.js';
import { saveModel } from '../../fit/index.js';
import { writeFileAtomic } from '../../formats/index.js';
import { readProblem } from '../../problem/index.js';
import { openClassifier } from '../classifier.js';
import { openFeatureModel, soleNetwork, startsFromPixels } from '../feature-model.js';
import { layout, type Workspace } from '../workspace.js';
import { classifyScript } from './classify-script.js';
import { type ExportFormat, exportFormats } from './formats.js';
import { graphMetadata } from './metadata.js';
import { modelCard } from './model-card.js';
import { pixelModel } from './pixel-model.js';
import { scorerModel } from './scorer-graph.js';
import { writeXlsa17 } from './xlsa17.js';

/**
 * Writes the formats asked for, or all that can be written, with the names of the categories and a model card.
 * @returns names of the files in `folder`
 */
export async function exportClassifier(
  workspace: Workspace,
  folder: string,
  asked?: readonly ExportFormat[],
  patience: CatalogPatience = {},
): Promise<string[]> {
  const classifier = await openClassifier(workspace);
  const { scorer } = classifier.model;
  const problem = await readProblem(workspace.path(layout.problem), { dtype: 'float32', web: 'optional' });
  const labelled = !problem.generalized && problem.testLabels?.every((label) => label >= 0);
  const possible = exportFormats.filter((format) => format !== 'onnx-pixels' || startsFromPixels(workspace));
  const formats = asked ?? possible.filter((format) => format !== 'xlsa17' || labelled);
  if (formats.includes('onnx-pixels')) soleNetwork(workspace);
  if (formats.includes('xlsa17') && !labelled)
    throw new UsageError(
      'an xlsa17 pair names the category of every test picture, and those of this workspace are not known, or not all listed',
      `Leave it out: --as ${exportFormats.filter((format) => format !== 'xlsa17').join(',')}.`,
    );
  await mkdir(folder, { recursive: true });
  const files: string[] = [];
  const write = async (name: string, content: Uint8Array | string) => {
    await writeFileAtomic(join(folder, name), content);
    files.push(name);
  };
  const metadata = graphMetadata(classifier.model, classifier.features);
  if (formats.includes('onnx')) await write('classifier.onnx', scorerModel(classifier.model, metadata));
  if (formats.includes('onnx-pixels')) {
    const model = await openFeatureModel(soleNetwork(workspace), workspace);
    await write('classifier-with-network.onnx', await pixelModel(model, classifier.model, { metadata }));
    await write('classify.py', classifyScript);
  }
  if (formats.includes('safetensors')) {
    await saveModel(join(folder, 'classifier.safetensors'), classifier.model);
    files.push('classifier.safetensors');
  }
  if (formats.includes('problem')) {
    await copyFile(workspace.path(layout.problem), join(folder, 'problem.npz'));
    files.push('problem.npz');
  }
  if (formats.includes('xlsa17')) files.push(...(await writeXlsa17(folder, problem)));
  await write('categories.txt', scorer.names.map((name) => `${name}\n`).join(''));
  const catalog = await openCatalog(workspace.folder, { mustExist: true, readOnly: true, ...patience });
  try {
    await writeAttribution(catalog, join(folder, 'ATTRIBUTION.txt'));
  } finally {
    await catalog.close();
  }
  files.push('ATTRIBUTION.txt');
  await write('MODEL_CARD.md', await modelCard(workspace, classifier, problem));
  return files;
}
