/**
 * The state of an unfinished fit in one file, enough to continue to the same answer to the last bit. Written beside
 * and renamed, at most once every few seconds and when the fit is interrupted.
 */
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { BowerbirdError } from '../errors.js';
import { fromMatrix, readNpz, toMatrix, writeNpz } from '../formats/index.js';
import { Matrix } from '../linalg/index.js';
import type { PaperSolver } from './paper-solver.js';
import { type IterationRecord, traceColumns } from './trace.js';

export class Checkpoint {
  readonly path: string;
  /** Identifies problem and options; a checkpoint of another fit is refused. */
  readonly fingerprint: string;
  readonly #interval: number;
  readonly #resume: boolean;
  #last = Date.now();

  constructor(path: string, options: { fingerprint: string; resume: boolean; intervalSeconds?: number }) {
    this.path = path;
    this.fingerprint = options.fingerprint;
    this.#resume = options.resume;
    this.#interval = (options.intervalSeconds ?? 20) * 1000;
  }

  async saveIfDue(solver: PaperSolver, trace: IterationRecord[]): Promise<void> {
    if (Date.now() - this.#last >= this.#interval) await this.save(solver, trace);
  }

  async save(solver: PaperSolver, trace: IterationRecord[]): Promise<void> {
    const { web } = solver.input;
    const entries: Record<string, Matrix> = {
      dictionary: solver.dictionary,
      semantics: solver.semantics,
      lowRank: solver.lowRank,
      multiplier: solver.multiplier,
      progress: row(Float64Array.of(solver.iteration, solver.mu, solver.converged ? 1 : 0)),
      trace: Matrix.from(trace.map((record) => traceColumns.map((column) => record[column]))),
    };
    if (web) {
      const { pictures, prototypes, history } = web.state;
      entries.prototypes = prototypes;
      entries.weightedSum = pictures.weightedSum;
      for (const [name, values] of Object.entries(pictures.scalars)) entries[`web_${name}`] = values;
      for (let k = 0; k < history.length; k++) {
        const { move, coefficients } = history.step(k);
        entries[`coefficients_${k}`] = coefficients;
        entries[`move_${k}`] = move;
      }
    }
    const arrays = Object.entries(entries).map(([name, matrix]) => [name, fromMatrix(matrix)] as const);
    const fingerprint = { shape: [1], dtype: 'string' as const, data: [this.fingerprint] };
    await writeNpz(this.path, { fingerprint, ...Object.fromEntries(arrays) });
    this.#last = Date.now();
  }

  /** Puts a saved state back; returns its trace, or nothing when there is none to continue. */
  async restore(solver: PaperSolver): Promise<IterationRecord[] | undefined> {
    if (!this.#resume || !existsSync(this.path)) return undefined;
    const saved = await readNpz(this.path);
    const found = saved.get('fingerprint')?.data[0];
    if (found !== this.fingerprint)
      throw new BowerbirdError(
        'BOWERBIRD_RESUME',
        `${this.path} belongs to a fit with another problem, other options or another backend`,
        { hint: 'Start again without --resume, or use the options of the interrupted fit.' },
      );
    const matrix = (name: string) => {
      const array = saved.get(name);
      if (!array) throw new BowerbirdError('BOWERBIRD_RESUME', `${this.path} lacks "${name}"; start without --resume`);
      return toMatrix(array, array.dtype === 'float32' ? 'float32' : 'float64', { name, file: this.path });
    };
    for (const name of ['dictionary', 'semantics', 'lowRank', 'multiplier'] as const)
      solver[name].copyFrom(matrix(name));
    const [iteration, mu, converged] = matrix('progress').row(0);
    solver.iteration = iteration;
    solver.mu = mu;
    solver.converged = converged === 1;
    solver.refresh();
    const { web } = solver.input;
    if (web) {
      web.state.prototypes.copyFrom(matrix('prototypes'));
      const { pictures, history } = web.state;
      pictures.weightedSum.copyFrom(matrix('weightedSum'));
      for (const [name, values] of Object.entries(pictures.scalars)) values.copyFrom(matrix(`web_${name}`));
      for (let k = 0; saved.has(`coefficients_${k}`); k++)
        history.append(matrix(`move_${k}`), matrix(`coefficients_${k}`));
    }
    const trace = matrix('trace');
    return Array.from({ length: trace.rows }, (_, i) => {
      const values = trace.row(i);
      return Object.fromEntries(traceColumns.map((column, j) => [column, values[j]])) as unknown as IterationRecord;
    });
  }

  /** After a finished fit. */
  async clear(): Promise<void> {
    await rm(this.path, { force: true });
  }
}

function row(values: Float64Array): Matrix {
  return new Matrix(values, 1, values.length);
}
