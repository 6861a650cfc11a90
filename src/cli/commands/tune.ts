/** `bowerbird tune`: searches for a method's parameters on validation categories. */
import { join } from 'node:path';
import { defaultEarlyStopping, describeParameters, search } from '../../evaluation/index.js';
import { percent } from '../../percent.js';
import { defineCommand } from '../command.js';
import { evaluationOptions, evaluationSetting } from '../evaluation-options.js';
import { methodNamed } from '../shared-options.js';

export default defineCommand({
  name: 'tune',
  summary: "Search for a method's parameters without looking at test labels.",
  description:
    'Random search: the first auxiliary categories play the test categories, and web pictures of theirs the web pictures. ' +
    'Every trial is recorded as it ends; the same command goes on where it was stopped. Two thirds of the trials are ' +
    'given up after a first look at a quarter of the pictures, unless --no-early-stopping is given.',
  arguments: [{ name: 'PROBLEM', description: 'a .npz problem file or a folder of .npy files' }],
  options: {
    method: {
      type: 'string',
      default: 'bowerbird',
      placeholder: 'NAME',
      description: 'The method, see "bowerbird methods".',
    },
    trials: { type: 'integer', minimum: 1, default: 40, placeholder: 'N', description: 'Settings to try.' },
    generalized: { type: 'flag', description: 'Choose for the generalized setting.' },
    'no-early-stopping': { type: 'flag', description: 'Fit every trial to all validation pictures.' },
    ...evaluationOptions,
  },
  examples: [
    {
      command: 'bowerbird tune birds.npz --trials 40 --out tuned',
      explanation: 'Writes tuned/chosen.json, for "bowerbird fit birds.npz --params tuned/chosen.json --out run".',
    },
    {
      command: 'bowerbird tune birds.npz --method xiao --synthetic-validation 0.3 --out tuned',
      explanation:
        'Without crawled validation pictures: auxiliary pictures, 30 % of them mislabelled, take their place.',
    },
  ],
  async run({ args, options, print, printJson, progress, signal }) {
    methodNamed(options.method, (text) => progress.note(text));
    const setting = await evaluationSetting('tune', args[0], options, { signal, progress });
    const { out: _, queue: __, ...configuration } = options;
    const { chosen } = await search({
      ...setting,
      method: options.method,
      trials: options.trials,
      generalized: options.generalized,
      earlyStopping: options['no-early-stopping'] ? undefined : defaultEarlyStopping,
      configuration: { problem: args[0], ...configuration },
    });
    printJson({ out: setting.folder, ...chosen });
    const { validation } = chosen;
    print(
      `${chosen.method}: ${chosen.trials} trials on ${validation.categories} validation categories ` +
        `(${validation.webPictures} web, ${validation.testPictures} test pictures${validation.kind === 'synthetic' ? ', made-up label noise' : ''}); ` +
        `${chosen.stoppedTrials} stopped early, ${chosen.failedTrials} failed`,
    );
    print(`best: ${chosen.trial}, ${percent(chosen.validationAccuracy, 2)} % per category`);
    print(`  ${describeParameters(chosen.parameters)}`);
    print(`parameters in ${join(setting.folder, 'chosen.json')}`);
    return 0;
  },
});
