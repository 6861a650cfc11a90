/**
 * A JPEG decoder, sequential and progressive, that can leave out fine detail: at a half, a quarter or an eighth of the size
 * only the coarse part of each block is computed, as the command line's decoder does it. Browsers decode JPEGs well, but offer
 * no such sizes, and averaging full-size pixels is not the same to the last bits.
 */
import { PictureError } from './errors.js';
import { BitReader, type BlockDecoder, ComponentDecoder } from './jpeg-entropy.js';
import { type InverseTransform, inverseTransforms } from './jpeg-inverse-dct.js';
import { enlarge, type Plane, toRgb } from './jpeg-sampling.js';
import { type Application, type Component, type Frame, type ScanHeader, Segments } from './jpeg-segments.js';

export type Shrink = 1 | 2 | 4 | 8;

export interface Pixels {
  readonly width: number;
  readonly height: number;
  /** Width × height × RGB. */
  readonly data: Uint8ClampedArray;
}

export interface DecodedJpeg extends Pixels, Pick<Application, 'orientation' | 'profile'> {
  readonly grey: boolean;
}

/** Sizes and orientation, from the header alone. */
export function jpegHeader(bytes: Uint8Array): Frame & Pick<Application, 'orientation'> {
  const segments = new Segments(bytes);
  segments.nextScan(2);
  return { ...required(segments.frame), orientation: segments.application.orientation };
}

export function decodeJpeg(bytes: Uint8Array, shrink: Shrink = 1): DecodedJpeg {
  const segments = new Segments(bytes);
  let scan = segments.nextScan(2);
  const frame = required(segments.frame);
  const planes = frame.components.map((component) => new ComponentPlane(component, frame, shrink));
  while (scan) {
    const position = decodeScan(bytes, segments, frame, planes, scan);
    scan = segments.nextScan(position);
  }
  if (frame.progressive) for (const plane of planes) plane.finish(segments);
  const { application } = segments;
  // Parts of a pixel at the right and below are left out.
  const width = Math.floor(frame.width / shrink);
  const height = Math.floor(frame.height / shrink);
  const whole = planes.map((plane) => plane.enlarged(shrink));
  const data = toRgb(whole, width, height, planes.length === 3 && hasChroma(frame, application));
  return {
    width,
    height,
    data,
    grey: planes.length === 1,
    orientation: application.orientation,
    profile: application.profile,
  };
}

function required(frame: Frame | undefined): Frame {
  if (!frame) throw new PictureError('damaged', 'there is no picture in the file');
  return frame;
}

/** Whether three components are luma and chroma, as they nearly always are, or red, green and blue. */
function hasChroma({ components }: Frame, { jfif, adobe }: Application): boolean {
  if (jfif) return true;
  if (adobe !== undefined) return adobe !== 0;
  return String.fromCharCode(...components.map(({ id }) => id)) !== 'RGB';
}

class ComponentPlane {
  readonly component: Component;
  readonly frame: Frame;
  /** Samples a block becomes, in a row. */
  readonly size: number;
  /** Blocks that show something of the picture. */
  readonly blocksAcross: number;
  readonly blocksDown: number;
  /** Blocks with those that fill up the last units of several components. */
  readonly paddedAcross: number;
  readonly samples: Uint8ClampedArray;
  readonly stride: number;
  /** Of all blocks, kept for progressive pictures only. */
  readonly coefficients?: Int16Array;
  readonly #transform: InverseTransform;

  constructor(component: Component, frame: Frame, shrink: Shrink) {
    const { width, height, mostH, mostV, progressive } = frame;
    const { h, v } = component;
    this.component = component;
    this.frame = frame;
    const least = 8 / shrink;
    // A component with fewer samples leaves out less, so that it need not be enlarged afterwards.
    let size = least;
    while (size < 8 && (mostH * least) % (h * size * 2) === 0 && (mostV * least) % (v * size * 2) === 0) size *= 2;
    this.size = size;
    this.#transform = inverseTransforms[size];
    this.blocksAcross = Math.ceil(Math.ceil((width * h) / mostH) / 8);
    this.blocksDown = Math.ceil(Math.ceil((height * v) / mostV) / 8);
    this.paddedAcross = Math.ceil(width / (8 * mostH)) * h;
    const paddedDown = Math.ceil(height / (8 * mostV)) * v;
    this.stride = this.paddedAcross * size;
    this.samples = new Uint8ClampedArray(this.stride * paddedDown * size);
    if (progressive) this.coefficients = new Int16Array(this.paddedAcross * paddedDown * 64);
  }

  emit(column: number, row: number, block: Int16Array, at: number, quantization: Uint16Array): void {
    const to = row * this.size * this.stride + column * this.size;
    this.#transform(block, at, quantization, this.samples, to, this.stride);
  }

  finish(segments: Segments): void {
    const quantization = quantizationOf(segments, this.component);
    for (let row = 0; row < this.blocksDown; row++)
      for (let column = 0; column < this.blocksAcross; column++)
        this.emit(column, row, this.coefficients!, (row * this.paddedAcross + column) * 64, quantization);
  }

  enlarged(shrink: Shrink): Plane {
    const { frame, component, size, samples, stride } = this;
    const least = 8 / shrink;
    const plane = {
      ...{ samples, stride },
      width: Math.ceil((frame.width * component.h * size) / (frame.mostH * 8)),
      height: Math.ceil((frame.height * component.v * size) / (frame.mostV * 8)),
    };
    const across = (frame.mostH * least) / (component.h * size);
    const down = (frame.mostV * least) / (component.v * size);
    if (!Number.isInteger(across) || !Number.isInteger(down))
      throw new PictureError('unsupported', 'its colours are sampled in an uncommon way');
    return enlarge(plane, across, down, least > 1);
  }
}

function quantizationOf(segments: Segments, { table }: Component): Uint16Array {
  const found = segments.quantization[table];
  if (!found) throw new PictureError('damaged', 'a table is missing');
  return found;
}

/** Returns where the data of the scan ends. */
function decodeScan(
  bytes: Uint8Array,
  segments: Segments,
  frame: Frame,
  planes: readonly ComponentPlane[],
  scan: ScanHeader,
): number {
  const reader = new BitReader(bytes, scan.from);
  const { spectralStart, spectralEnd, high, low } = scan;
  const parts = scan.parts.map(({ component, dc, ac }) => {
    const plane = planes[component];
    const decoder = new ComponentDecoder();
    const tables = { dc: segments.dcTables[dc], ac: segments.acTables[ac] };
    const decode: BlockDecoder = frame.progressive
      ? decoder.progressive(tables, spectralStart, spectralEnd, high, low)
      : decoder.baseline(tables);
    return { plane, decoder, decode, quantization: quantizationOf(segments, plane.component) };
  });
  const scratch = new Int16Array(64);
  const block = ({ plane, decode, quantization }: (typeof parts)[number], column: number, row: number) => {
    if (plane.coefficients) {
      decode(reader, plane.coefficients, (row * plane.paddedAcross + column) * 64);
      return;
    }
    scratch.fill(0);
    decode(reader, scratch, 0);
    plane.emit(column, row, scratch, 0, quantization);
  };
  // One component alone comes block by block; several come in units that cover the same part of the picture.
  const single = parts.length === 1;
  const [unitsAcross, unitsDown] = single
    ? [parts[0].plane.blocksAcross, parts[0].plane.blocksDown]
    : [Math.ceil(frame.width / (8 * frame.mostH)), Math.ceil(frame.height / (8 * frame.mostV))];
  const units = unitsAcross * unitsDown;
  for (let unit = 0; unit < units; unit++) {
    if (segments.restartInterval > 0 && unit > 0 && unit % segments.restartInterval === 0) {
      reader.restart();
      for (const { decoder } of parts) decoder.restart();
    }
    const [column, row] = [unit % unitsAcross, Math.floor(unit / unitsAcross)];
    if (single) block(parts[0], column, row);
    else
      for (const part of parts) {
        const { h, v } = part.plane.component;
        for (let y = 0; y < v; y++) for (let x = 0; x < h; x++) block(part, column * h + x, row * v + y);
      }
  }
  reader.finish();
  return reader.position;
}
