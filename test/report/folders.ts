/** Results folders of a small problem whose names and texts are hostile, made by the code that makes real ones. */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { compare, type ExperimentResult, search } from '../../src/evaluation/index.js';
import { fit, writeFit } from '../../src/fit/index.js';
import { findMethod } from '../../src/methods/index.js';
import { generateProblem, type Problem } from '../../src/problem/index.js';

export const hostileName = `</text></svg><script>window.hit = 1</script><img src=x onerror="window.hit = 2">'`;
export const hostileText = `"><script src="https://evil.example/x.js"></script> & tern`;

function hostileProblem(): Problem {
  const problem = generateProblem({ seed: 5, auxiliaryCategories: 8, testCategories: 4, dimensions: 16 });
  return {
    ...problem,
    testNames: [hostileName, ...problem.testNames.slice(1)],
    webTexts: problem.webTexts?.map((text, i) => (i % 7 === 0 ? hostileText : text)),
  };
}

export interface ReportFolders {
  fit: string;
  /** A fit of a method without semantic vectors, weights or a trace. */
  other: string;
  tune: string;
  compare: string;
  experiment: string;
  /** A list of pictures for `--pictures`. */
  pictures: string;
}

export async function makeFolders(root: string): Promise<ReportFolders> {
  const problem = hostileProblem();
  const folders = Object.fromEntries(
    ['fit', 'other', 'tune', 'compare', 'experiment'].map((name) => [name, join(root, name)]),
  );
  const parameters = { lambda1: 10, lambda2: 0.01, lambda3: 1, lambda4: 100, bound: 3 };
  const configuration = { problem: `my ${hostileText}.npz`, method: 'paper', ...parameters };
  const learnt = await fit(problem, 'paper', { device: 'wasm', threads: 1, parameters, configuration });
  await writeFit(folders.fit, { ...learnt, record: { ...learnt.record, warnings: [hostileText] } });
  await writeFit(folders.other, await fit(problem, 'lr', { device: 'wasm', threads: 1, configuration }));
  const shared = { problem, device: 'wasm', jobs: 1, threads: 1 } as const;
  await search({ ...shared, folder: folders.tune, method: 'eszsl', trials: 6 });
  const methods = ['prototype', 'lr', 'eszsl'].map((name) => findMethod(name));
  const table = await compare({ ...shared, folder: folders.compare, methods, seeds: 2, title: hostileText });
  const result: ExperimentResult = {
    schema: 'bowerbird-experiment-1',
    name: 'sensitivity',
    title: 'Sensitivity',
    description: hostileText,
    problem: table.problem,
    seed: 1,
    plots: [
      {
        title: 'Accuracy against λ1',
        x: { label: 'λ1', scale: 'log' },
        y: { label: 'accuracy, %' },
        series: [
          {
            name: hostileName,
            points: [0.01, 1, 100].map((x, i) => ({ x, y: 40 + i, low: 38 + i, high: 42 + i })),
            mark: 1,
          },
          { name: 'lr', points: [0.01, 1, 100].map((x) => ({ x, y: 30 })) },
        ],
      },
    ],
    tables: [
      {
        title: 'Times',
        columns: ['method', 'seconds'],
        rows: [
          [hostileName, 1.25],
          ['lr', null],
        ],
      },
      {
        title: 'Highest and lowest weights: paper',
        columns: ['web picture', 'category', 'weight', 'truth', 'text'],
        rows: [
          [1, hostileName, 2.5, 'clean', hostileText],
          [2, hostileName, 2.25, 'clean', null],
          [3, hostileName, 0.75, 'other', null],
          [4, hostileName, 0.5, 'offtopic', hostileText],
        ],
      },
    ],
    parameters: { paper: { lambda1: 1 } },
    skipped: [{ method: 'clip', reason: hostileText }],
    failed: [],
    compare: table,
  };
  await mkdir(folders.experiment, { recursive: true });
  await writeFile(join(folders.experiment, 'experiment.json'), JSON.stringify(result));
  const run = { schema: 'bowerbird-run-1', command: 'experiment', configuration: { experiment: 'sensitivity' } };
  await writeFile(join(folders.experiment, 'run.json'), JSON.stringify(run));
  return { ...(folders as unknown as Omit<ReportFolders, 'pictures'>), pictures: await makePictures(root, problem) };
}

async function makePictures(root: string, problem: Problem): Promise<string> {
  const picture = { create: { width: 60, height: 40, channels: 3 as const, background: '#3a7' } };
  await sharp(picture).jpeg().toFile(join(root, 'bird.jpg'));
  await writeFile(join(root, 'broken.jpg'), 'no picture');
  const cell = (text: string) => `"${text.replaceAll('"', '""')}"`;
  const rows = Array.from(problem.webLabels, (_, row) =>
    [
      row,
      row % 5 === 0 ? 'broken.jpg' : 'bird.jpg',
      hostileText,
      'bird nest',
      hostileName,
      'flickr',
      'javascript:alert(1)',
      'cc-by',
    ]
      .map((value) => cell(String(value)))
      .join(','),
  );
  const path = join(root, 'pictures.csv');
  await writeFile(path, ['row,file,title,tags,author,source,pageUrl,licence', ...rows].join('\n'));
  return path;
}
