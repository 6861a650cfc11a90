/** The paper's learner and its special cases, as methods of the registry. */
import {
  Combo,
  type LearnerOptions,
  learnerDefaults,
  PaperLearner,
  type SpecialCase,
  specialCases,
} from '../learner/index.js';
import type { Ingredient, MethodSpec, ParameterSpec, ParameterValue } from './spec.js';

const citation =
  'Niu, Veeraraghavan, Sabharwal: Fine-grained Classification using Heterogeneous Web Data and Auxiliary Categories';

const power = { kind: 'log', low: 1e-3, high: 1e3 } as const;
const parameters = {
  lambda1: { description: 'closeness to the auxiliary dictionary', default: learnerDefaults.lambda1, range: power },
  lambda2: { description: 'weight of the nuclear norm', default: learnerDefaults.lambda2, range: power },
  lambda3: { description: 'weight of the mean discrepancy', default: learnerDefaults.lambda3, range: power },
  lambda4: { description: "weight of the web pictures' errors", default: learnerDefaults.lambda4, range: power },
  bound: {
    description: 'largest weight of a web picture',
    default: learnerDefaults.bound,
    range: { kind: 'linear', low: 1.5, high: 5 },
  },
} as const satisfies Record<string, ParameterSpec>;
const gamma = { description: 'weight of the text', default: 0.1, range: power } as const satisfies ParameterSpec;

/** The parameters a special case leaves free. */
function free(fixed: Partial<LearnerOptions>): Record<string, ParameterSpec> {
  const used = Object.entries(parameters).filter(([name]) => !(name in fixed));
  return Object.fromEntries(fixed.useWeb === false ? used.filter(([name]) => name !== 'bound') : used);
}

function special(name: SpecialCase, title: string, uses: readonly Ingredient[]): MethodSpec {
  return {
    name,
    title,
    citation,
    uses,
    setting: 'both',
    parameters: free(specialCases[name]),
    create: (given) => new PaperLearner({ ...numbers(given), special: name }),
  };
}

function numbers(given: Readonly<Record<string, ParameterValue>>): Partial<LearnerOptions> {
  return Object.fromEntries(Object.entries(given).map(([name, value]) => [name, Number(value)]));
}

const everything: readonly Ingredient[] = ['web', 'auxiliary', 'test', 'semantics'];

export const ourMethods: readonly MethodSpec[] = [
  special('ours', 'The paper’s learner', everything),
  {
    ...special('ours', 'The paper’s learner with the text of web pictures', [...everything, 'text']),
    name: 'ours-pi',
    parameters: { ...parameters, gamma },
  },
  special('ours-wsl', 'The learner without transfer (λ1 = 0)', everything),
  special('ours-zsl', 'The learner without web pictures', ['auxiliary', 'test', 'semantics']),
  special('ours-sim1', 'The learner without the nuclear norm (λ2 = 0)', everything),
  special('ours-sim2', 'The learner without the mean discrepancy (λ3 = 0)', everything),
  {
    name: 'combo',
    title: 'Mean of ours-wsl and ours-zsl',
    citation,
    uses: everything,
    setting: 'both',
    parameters,
    create: (given) => new Combo(numbers(given)),
  },
];
