/** Which methods a list on the command line means, and which of them can work on a problem. */
import { UsageError } from '../errors.js';
import { findMethod, type MethodSpec, methods } from '../methods/index.js';
import type { Problem } from '../problem/index.js';

interface MethodGroup {
  title: string;
  setting: 'standard' | 'generalized';
  methods: readonly string[];
}

/** The rows of the paper's tables of accuracies, which are numbered here without the table of running times. */
export const methodGroups = {
  table1: {
    title: 'Table I: web pictures and auxiliary categories',
    setting: 'standard',
    methods:
      'lr kmm gfk sa tca coral neil bergamo wsdg sukhbaatar xiao eszsl latem sje dap iap sync li kodirov zhang-saligrama xu shojaee zsk se-gzsl wsl+zsl paper-wsl paper-zsl paper-sim1 paper-sim2 paper'.split(
        ' ',
      ),
  },
  table2: {
    title: 'Table II: generalized setting',
    setting: 'generalized',
    methods: ['lr-mix', 'wsl+lr', 'chao', 'paper'],
  },
  table3: {
    title: 'Table III: with the text of web pictures',
    setting: 'standard',
    methods: ['lr', 'svm-plus', 'wsl+zsl', 'wsdg-pi+zsl', 'paper', 'paper-pi'],
  },
  table4: {
    title: 'Table IV: generalized setting with the text of web pictures',
    setting: 'generalized',
    methods: ['lr-mix', 'svm-plus-mix', 'wsl+lr', 'wsdg-pi+lr', 'paper', 'paper-pi'],
  },
} as const satisfies Record<string, MethodGroup>;

export type GroupName = keyof typeof methodGroups;

export function isGroup(name: string): name is GroupName {
  return Object.hasOwn(methodGroups, name);
}

/**
 * The methods that names and groups mean, each once, in the order given. `all` is every method there is; those of the other
 * setting are then left out rather than refused.
 */
export function chooseMethods(names: readonly string[], generalized: boolean): MethodSpec[] {
  const setting = generalized ? 'generalized' : 'standard';
  const chosen = names.flatMap((name): readonly MethodSpec[] => {
    if (name === 'all') return methods.filter((spec) => spec.setting === 'both' || spec.setting === setting);
    if (!isGroup(name)) return [findMethod(name)];
    const group: MethodGroup = methodGroups[name];
    if (group.setting !== setting)
      throw new UsageError(
        `${name} is a table of the ${group.setting} setting, and this comparison is in the ${setting} one`,
        generalized ? 'Leave out --generalized.' : 'Add --generalized.',
      );
    return group.methods.map((method) => findMethod(method));
  });
  return [...new Set(chosen)];
}

/** Whether the methods of a list ask for the generalized setting, all of them being tables of it. */
export function impliesGeneralized(names: readonly string[]): boolean {
  return names.length > 0 && names.every((name) => isGroup(name) && methodGroups[name].setting === 'generalized');
}

/**
 * Why a method cannot work on a problem, as far as can be told without trying; undefined if it may. Whether a method can do
 * without text shows in its first fit.
 */
export function reasonToSkip(spec: MethodSpec, problem: Problem, generalized: boolean): string | undefined {
  if (generalized && spec.setting === 'standard') return 'it chooses among test categories only (standard setting)';
  if (!generalized && spec.setting === 'generalized') return 'it is made for the generalized setting';
  if (spec.uses.includes('web') && problem.webFeatures.rows === 0) return 'there are no web pictures';
  return undefined;
}

/** Whether some of the methods are made of others, which are then searched for in the setting that they know. */
export function hasParts(specs: readonly MethodSpec[]): boolean {
  return specs.some(({ parts }) => parts !== undefined);
}

/** Whether a method that learns from text, and failed, was given none: a fact about the problem, not a defect. */
export function lacksText(spec: MethodSpec, problem: Problem): boolean {
  return spec.uses.includes('text') && !problem.webText;
}
