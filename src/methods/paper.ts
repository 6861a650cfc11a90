/** The paper's learner and its special cases, as methods of the registry. */
import {
  Combo,
  comboShare,
  type FitPart,
  type LearnerOptions,
  learnerParameters,
  PaperLearner,
  type SpecialCase,
  specialCases,
} from '../learner/index.js';
import { changed, type ParameterSpec } from '../parameters.js';
import { problemHash } from '../problem/index.js';
import { prepared } from './blocks/preparation.js';
import { partParameters, partValues } from './parts.js';
import type { Ingredient, MethodSpec } from './spec.js';

const citation =
  'Niu, Veeraraghavan, Sabharwal: Fine-grained Classification using Heterogeneous Web Data and Auxiliary Categories';

const { lambda1, lambda2, lambda3, lambda4, bound, gamma, textRidge, penaltyStart, penaltyGrowth, vectors } =
  learnerParameters;
const parameters = { lambda1, lambda2, lambda3, lambda4, bound, penaltyStart, penaltyGrowth, vectors };

/** The parameters a special case leaves free, with defaults of its own where those of the whole learner are far from its best. */
function free(fixed: Partial<LearnerOptions>, own: Readonly<Record<string, number>>): Record<string, ParameterSpec> {
  const used = Object.entries(parameters).filter(([name]) => !(name in fixed));
  const kept = fixed.useWeb === false ? used.filter(([name]) => name !== 'bound') : used;
  return Object.fromEntries(
    kept.map(([name, each]): [string, ParameterSpec] => [name, name in own ? { ...each, default: own[name] } : each]),
  );
}

function special(
  name: SpecialCase,
  title: string,
  uses: readonly Ingredient[],
  own: Readonly<Record<string, number>> = {},
): MethodSpec {
  return {
    name,
    title,
    citation,
    uses,
    setting: 'both',
    parameters: free(specialCases[name], own),
    create: (given) => new PaperLearner({ ...given, special: name }),
  };
}

/**
 * A strong nuclear norm draws all answers together where there are four times as many vectors to be near to, and auxiliary pictures among the
 * test pictures are known by the auxiliary dictionary. From the validation categories of `cub-web` and `cub-resnet50` in that setting.
 */
const generalizedDefaults = { lambda1: 3, lambda2: 0.1 };

const everything: readonly Ingredient[] = ['web', 'auxiliary', 'test', 'semantics'];

const webOnly = special('paper-wsl', 'The learner without transfer (λ1 = 0)', everything, { lambda2: 0.01 });
const zeroShot = special('paper-zsl', 'The learner without web pictures', ['auxiliary', 'test', 'semantics'], {
  lambda1: 0.001,
  lambda2: 0.01,
});

/** A part is fitted once for the same options: a search tries shares with the parts as they were chosen. */
const fitOnce: FitPart = (part, problem, options) =>
  prepared(
    `fitted part of combo, ${part.options.useWeb ? 'web' : 'zero-shot'}`,
    options.backend,
    [problem.testFeatures],
    [JSON.stringify(part.options), problemHash(problem)],
    () => part.fit(problem, options),
  );

export const paperMethods: readonly MethodSpec[] = [
  { ...special('paper', 'The paper’s learner', everything), generalizedDefaults },
  {
    ...special('paper', 'The paper’s learner with the text of web pictures', [...everything, 'text']),
    name: 'paper-pi',
    generalizedDefaults,
    parameters: {
      ...parameters,
      gamma: changed(gamma, { default: 0.1 }),
      textRidge: changed(textRidge, { default: 0.01 }),
    },
  },
  webOnly,
  zeroShot,
  special('paper-sim1', 'The learner without the nuclear norm (λ2 = 0)', everything),
  { ...special('paper-sim2', 'The learner without the mean discrepancy (λ3 = 0)', everything), generalizedDefaults },
  {
    name: 'combo',
    title: 'Mean of paper-wsl and paper-zsl',
    citation,
    uses: everything,
    setting: 'both',
    parameters: { ...partParameters(webOnly, zeroShot), share: comboShare },
    parts: [webOnly, zeroShot],
    create: ({ share, ...given }) =>
      new Combo(partValues(webOnly, given), partValues(zeroShot, given), share as number, fitOnce),
  },
];
