/**
 * Everything put together: one problem file, and beside it which picture each row is. Rows are in an order that depends
 * on names and ranks alone, so that the same pictures give the same file whatever came before.
 */
import { existsSync } from 'node:fs';
import { writeFileAtomic } from '../../formats/index.js';
import { findMethod } from '../../methods/index.js';
import { checkProblem, type Problem, saveProblem } from '../../problem/index.js';
import { assembleProblem } from '../assemble.js';
import { decisionInputs } from '../decisions.js';
import { ConfigurationError, configurationFile } from '../read-configuration.js';
import { optionInputs, type Stage } from '../stage.js';
import { layout } from '../workspace.js';

export const problemStage: Stage = {
  name: 'problem',
  needs: ['dedupe', 'features-auxiliary', 'features-test', 'features-web', 'words', 'text'],

  async check({ configuration: { truth }, path }) {
    if (truth && 'file' in truth && !existsSync(path(truth.file)))
      throw new ConfigurationError(`${configurationFile}: truth.file is ${truth.file}, and there is no such file`);
  },

  async inputs(workspace) {
    const { configuration, fingerprints, path } = workspace;
    const { truth, categories, answers, shares } = configuration;
    return {
      ...(await decisionInputs(workspace)),
      categories: JSON.stringify(categories.map(({ name }) => name)),
      ...(answers !== 'listed' && { answers }),
      ...(shares !== 'unknown' && { shares: JSON.stringify(shares) }),
      ...(truth && optionInputs('truth', truth)),
      ...(truth &&
        'file' in truth && { [`the file ${truth.file}`]: (await fingerprints.ofFile(path(truth.file))) ?? '' }),
    };
  },

  outputs: async () => [layout.problem, layout.rows],

  async run({ workspace, note }) {
    const { problem, rows, notes } = await assembleProblem(workspace);
    for (const message of notes) note(message);
    const { method } = workspace.configuration.learner;
    if (problem.webFeatures.rows === 0 && findMethod(method).uses.includes('web'))
      throw new ConfigurationError(
        `there is no web picture of any category, and ${method} learns from them`,
        '"bowerbird status" says what the sources had. Sub-folders of a folder: source are named like the categories; a method such as learner.method: eszsl learns from names alone.',
      );
    checkProblem(problem, { scaling: workspace.configuration.learner.scaling, web: 'optional' });
    await saveProblem(workspace.path(layout.problem), problem, { dtype: 'float32' });
    await writeFileAtomic(workspace.path(layout.rows), `${JSON.stringify(rows)}\n`);
    return { summary: describe(problem) };
  },
};

function describe({ auxiliaryLabels, auxiliaryNames, webLabels, testFeatures, testNames, validationWeb }: Problem) {
  const validation = validationWeb ? `, ${validationWeb.labels.length} validation web pictures` : '';
  return `${auxiliaryLabels.length} auxiliary pictures of ${auxiliaryNames.length} categories, ${webLabels.length} web and ${testFeatures.rows} test pictures of ${testNames.length}${validation}`;
}
