/** What the registry knows of a method. */
import { type OptionsOf, type ParameterSpec, type ParameterValue, resolveParameters } from '../parameters.js';
import type { Method, PictureSet } from '../problem/index.js';

export type { ParameterSpec, ParameterValue, SearchRange } from '../parameters.js';

/** Parts of a problem a method learns from. */
export type Ingredient = 'web' | 'auxiliary' | 'test' | 'text' | 'semantics';

type Declared = Readonly<Record<string, ParameterSpec>>;

export interface MethodSpec<Parameters extends Declared = Declared> {
  /** As on the command line, for example `zhang-saligrama`. */
  name: string;
  title: string;
  /** Authors, title, venue, year. */
  citation: string;
  uses: readonly Ingredient[];
  /** In which setting the method answers: test categories alone, or auxiliary ones too. */
  setting: 'standard' | 'generalized' | 'both';
  parameters: Parameters;
  /** Defaults of the generalized setting, where those of the standard one do not serve. */
  generalizedDefaults?: Readonly<Record<string, ParameterValue>>;
  /** The methods it is made of, whose parameters it has as `part.parameter`: a search chooses those of each part on its own. */
  parts?: readonly MethodSpec[];
  /** Parameters that what it shares with other methods depends on: fits that agree in them are made one after another. */
  sharedBy?: readonly string[];
  /** Pictures that its `fit` takes as rows of a file (`StreamedRows`). */
  streams?: readonly PictureSet[];
  /**
   * Given such rows, it reads each a few times only and keeps what it makes of them in memory if asked to (`keep`): a fit of a
   * file is then about as quick as one of features in memory, and need not load them.
   */
  readsByBlocks?: boolean;
  /** `options` are complete and checked. */
  create(options: OptionsOf<Parameters>, seed: number): Method;
}

/** The method as it comes in one setting: with the defaults that were chosen for it. */
export function inSetting(spec: MethodSpec, generalized: boolean): MethodSpec {
  const { generalizedDefaults: own } = spec;
  if (!generalized || !own) return spec;
  const parameters = Object.entries(spec.parameters).map(([name, each]) => [
    name,
    name in own ? { ...each, default: own[name] } : each,
  ]);
  return { ...spec, parameters: Object.fromEntries(parameters) };
}

/** The method with its defaults, overruled by what is given. */
export function createMethod(spec: MethodSpec, given: Readonly<Record<string, ParameterValue>> = {}, seed = 1): Method {
  return spec.create(resolveParameters(spec.name, spec.parameters, given), seed);
}
