/** The regimes of the wild benchmark: what the folder holds, what the web pictures are like, whether there is text. */
import {
  drawFolder,
  type Folder,
  generalize,
  type Problem,
  type Shares,
  sharesByName,
} from '../../src/problem/index.js';
import type { WebChoice, WildProblem, WildSource } from './problems.js';

export interface Regime {
  readonly title: string;
  readonly shares?: Shares;
  readonly strangers?: { readonly share: number; readonly far?: boolean };
  readonly web?: WebChoice;
  readonly text?: false;
  /** Folders drawn for each seed, where one holds few pictures. @default 1 */
  readonly draws?: number;
  /** Part of `--quick`. */
  readonly quick?: boolean;
}

export const regimes: Record<string, Regime> = {
  equal: { title: 'equal', quick: true },
  'long-tail': { title: 'long tail', shares: sharesByName['long-tail'], quick: true },
  fifth: { title: 'a fifth', shares: sharesByName.fifth, quick: true },
  'six-percent': { title: '6 %', shares: sharesByName['six-percent'], draws: 2 },
  'one-category': { title: 'one category', shares: sharesByName['one-category'], draws: 3, quick: true },
  'dirichlet-1': { title: 'Dirichlet 1', shares: sharesByName['dirichlet-1'] },
  'dirichlet-0.1': { title: 'Dirichlet 0.1', shares: sharesByName['dirichlet-0.1'] },
  'one-picture': { title: 'one picture', shares: sharesByName['one-picture'], draws: 10 },
  'five-pictures': { title: 'five pictures', shares: sharesByName['five-pictures'], draws: 4 },
  'strangers-30': { title: '30 % strangers', strangers: { share: 0.3 }, quick: true },
  'strangers-60': { title: '60 % strangers', strangers: { share: 0.6 } },
  'fifth-strangers-30': {
    title: 'a fifth, 30 % strangers',
    shares: sharesByName.fifth,
    strangers: { share: 0.3 },
  },
  'far-30': { title: '30 % far', strangers: { share: 0.3, far: true } },
  'far-60': { title: '60 % far', strangers: { share: 0.6, far: true } },
  'wrong-0': { title: '0 % wrong', web: { wrong: 0 } },
  'wrong-20': { title: '20 % wrong', web: { wrong: 0.2 } },
  'wrong-60': { title: '60 % wrong', web: { wrong: 0.6 } },
  'wrong-80': { title: '80 % wrong', web: { wrong: 0.8 } },
  'web-5': { title: '5 web', web: { perCategory: 5 } },
  'web-10': { title: '10 web', web: { perCategory: 10 } },
  'web-50': { title: '50 web', web: { perCategory: 50 } },
  'web-100': { title: '100 web', web: { perCategory: 100 } },
  'no-text': { title: 'no text', text: false },
};

/** Whether the problem can show the regime. */
export function applies({ web, text }: Regime, source: WildSource): boolean {
  return (text !== false || source.text) && (web?.perCategory ?? 0) <= source.mostWeb;
}

/** @param generalized the auxiliary categories are candidates, and a fifth of their pictures is in the folder */
export function drawRegime(
  regime: Regime,
  { problem, strangers, far }: WildProblem,
  seed: number,
  generalized = false,
): Folder {
  const listed = regime.text === false ? withoutText(problem) : problem;
  const given = generalized ? generalize(listed, seed) : listed;
  return drawFolder(
    given,
    {
      shares: regime.shares,
      ...(regime.strangers && {
        strangers: regime.strangers.far ? far : strangers,
        strangerShare: regime.strangers.share,
      }),
    },
    seed,
  );
}

function withoutText({ webText: _, webTexts: __, ...problem }: Problem): Problem {
  if (!problem.validationWeb) return problem;
  const { text: ___, texts: ____, ...validationWeb } = problem.validationWeb;
  return { ...problem, validationWeb };
}
