/**
 * Text of web images as privileged information, γ/2 (‖(Xw − D Aw) − W̃X̃‖² + ε‖W̃‖²); the paper has ε = 0. With
 * Π = X̃'(X̃X̃' + εI)⁻¹X̃, for ε = 0 the projector on the row space of the text features, W̃X̃ = BΠ for B = Xw − P L, and the dictionary update needs
 * only (Xw − W̃X̃)L' = XwL' − XwΠL' + P_prev (LΠL'): two C×d matrices and one C×C matrix, computed once.
 */
import type { Backend, Matrix } from '../linalg/index.js';
import { type Spectrum, spectrumOf } from './solve.js';
import type { WebFeatures } from './web-features.js';

export interface TextTerm {
  /** XwL': plain class sums, the term before the first update of W̃. */
  sums: Matrix;
  /** XwL' − XwΠL' */
  unexplained: Matrix;
  /** LΠL' */
  mixing: Matrix;
  /** tr Π / nw: which share of any residual, whatever its cause, the words can explain. */
  reach: number;
}

/** What depends on no parameter, made once for the fits of one problem. */
export interface GroupedText {
  /** Text in grouped order. */
  grouped: Matrix;
  /** X̃X̃' taken apart. */
  spectrum: Spectrum;
  /** Sums of the categories, C×d̃, and the same along the eigenvectors. */
  categoryText: Matrix;
  turned: Matrix;
  /** Mean square of a word, tr(X̃X̃')/d̃. */
  square: number;
}

export function groupText(backend: Backend, web: WebFeatures, text: Matrix): GroupedText {
  const { order, labels, starts } = web.grouping;
  const categories = starts.length - 1;
  const dtype = text.dtype;
  const grouped = backend.matrix(text.rows, text.cols, dtype);
  order.forEach((row, position) => {
    grouped.row(position).set(text.row(row));
  });
  const gram = backend.matrix(text.cols, text.cols, dtype);
  backend.syrk(gram, grouped, { transpose: true });
  const spectrum = spectrumOf(backend, gram);
  const categoryText = backend.matrix(categories, text.cols, dtype);
  labels.forEach((c, i) => {
    const row = grouped.row(i);
    const sum = categoryText.row(c);
    for (let j = 0; j < row.length; j++) sum[j] += row[j];
  });
  const turned = backend.matrix(categories, text.cols, dtype);
  backend.gemm(turned, categoryText, spectrum.vectors, { transposeB: true });
  return { grouped, spectrum, categoryText, turned, square: backend.dot(grouped, grouped) / text.cols };
}

export function releaseText(backend: Backend, { grouped, spectrum, categoryText, turned }: GroupedText): void {
  for (const matrix of [grouped, spectrum.vectors, categoryText, turned]) backend.release(matrix);
}

/** `ridge` is ε as a share of the mean square of a word, tr(X̃X̃')/d̃. */
export async function textTerm(
  backend: Backend,
  web: WebFeatures,
  { grouped, spectrum, categoryText, turned, square }: GroupedText,
  ridge: number,
): Promise<TextTerm> {
  const categories = categoryText.rows;
  const { rows, cols, dtype } = grouped;
  // V = Π L' = X̃ (X̃'X̃ + εI)⁻¹ (X̃'L'), with instances as rows.
  const { factors, freedom } = spectrum.regularized(ridge * square);
  const scaled = backend.matrix(cols, cols, dtype);
  backend.copy(scaled, spectrum.vectors);
  backend.scaleRows(scaled, factors);
  const mapped = backend.matrix(categories, cols, dtype);
  backend.gemm(mapped, turned, scaled);
  const projected = backend.matrix(rows, categories, dtype);
  backend.gemm(projected, grouped, mapped, { transposeB: true });

  const mixing = backend.matrix(categories, categories, dtype);
  backend.gemm(mixing, mapped, categoryText, { transposeB: true });
  const sums = backend.matrix(categories, web.cols, dtype);
  await web.sumsByCategory(sums, new Float64Array(web.rows).fill(1));
  const explained = backend.matrix(web.cols, categories, dtype);
  await web.transposedProduct(explained, projected);
  const unexplained = backend.matrix(categories, web.cols, dtype);
  unexplained.copyFrom(sums);
  for (let c = 0; c < categories; c++) {
    const row = unexplained.row(c);
    for (let j = 0; j < row.length; j++) row[j] -= explained.at(j, c);
  }
  for (const scratch of [scaled, mapped, projected, explained]) backend.release(scratch);
  return { sums, unexplained, mixing, reach: freedom / rows };
}

/** out (C×d) ← out + γ ((Xw − W̃X̃)L')', given the prototypes of the iteration that last updated W̃. */
export function addTextTerm(
  backend: Backend,
  out: Matrix,
  term: TextTerm,
  gamma: number,
  previousPrototypes: Matrix | undefined,
): void {
  if (!previousPrototypes) {
    backend.axpby(out, gamma, term.sums, 1);
    return;
  }
  backend.axpby(out, gamma, term.unexplained, 1);
  backend.gemm(out, term.mixing, previousPrototypes, { alpha: gamma, beta: 1 });
}
