/** Which engine runs networks here and how fast: convolutions as residual networks have them, in one thread. */
import { Random } from '../linalg/index.js';
import { OnnxBuilder } from './onnx/build.js';
import { InferenceSession, type RuntimeChoice, runtime, runtimeNote, sessionOptions, Tensor } from './onnxruntime.js';

export interface RuntimeSpeed extends RuntimeChoice {
  /** 10⁹ operations of float32 a second, best of the runs. */
  readonly gigaflops: number;
  /** What to do for a faster one, where there is something to do. */
  readonly note: string | undefined;
}

const [channels, side, layers] = [64, 56, 4];
const operations = layers * 2 * channels * channels * 9 * side * side;

/** Runs the network for about so many seconds, at least once. */
export async function measureRuntime(seconds: number): Promise<RuntimeSpeed> {
  const session = await InferenceSession.create(convolutions(), {
    ...sessionOptions('cpu', 1),
    logSeverityLevel: 3,
  });
  try {
    const shape = [1, channels, side, side];
    const input = new Tensor('float32', new Float32Array(channels * side * side).fill(0.5), shape);
    let best = Number.POSITIVE_INFINITY;
    const end = performance.now() + 1000 * seconds;
    do {
      const begun = performance.now();
      await session.run({ input });
      best = Math.min(best, performance.now() - begun);
    } while (performance.now() < end);
    return { ...runtime, gigaflops: operations / best / 1e6, note: runtimeNote() };
  } finally {
    await session.release();
  }
}

function convolutions(): Uint8Array {
  const random = new Random(1);
  const builder = new OnnxBuilder();
  let last = builder.input('input', [1, channels, side, side]);
  for (let k = 0; k < layers; k++) {
    const values = Float32Array.from(random.normalArray(channels * channels * 9), (value) => value / 24);
    const weights = builder.floats(`weights${k}`, [channels, channels, 3, 3], values);
    last = builder.node('Conv', [last, weights], `sums${k}`, { pads: [1, 1, 1, 1] });
    last = builder.node('Relu', [last], `layer${k}`);
  }
  builder.output(last, [1, channels, side, side]);
  return builder.finish('speed');
}
