/** One row per iteration: what `trace.csv` holds. */
export interface IterationRecord {
  iteration: number;
  /** Sum of the terms that follow (the text term, known only up to a constant, is not in it). */
  objective: number;
  /** ½‖Xt − D A‖² */
  reconstruction: number;
  /** λ1/2 ‖D − Da‖² */
  transfer: number;
  /** λ2 ‖Z‖* */
  nuclear: number;
  /** λ3/2 ‖Xw θ/nw − Xt 1/nt‖² */
  discrepancy: number;
  /** λ4 ‖E‖₂,₁ */
  error: number;
  /** Largest Euclidean norm of a column of E − (Xw − D Aw)Θ. */
  webResidual: number;
  /** Largest Euclidean norm of a column of A − Z. */
  semanticsResidual: number;
  mu: number;
  rank: number;
  thetaMinimum: number;
  thetaMaximum: number;
  thetaDeviation: number;
  thetaSteps: number;
  seconds: number;
}

export const traceColumns = [
  'iteration',
  'objective',
  'reconstruction',
  'transfer',
  'nuclear',
  'discrepancy',
  'error',
  'webResidual',
  'semanticsResidual',
  'mu',
  'rank',
  'thetaMinimum',
  'thetaMaximum',
  'thetaDeviation',
  'thetaSteps',
  'seconds',
] as const satisfies readonly (keyof IterationRecord)[];
