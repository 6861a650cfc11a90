/** The engine, after what must be said before it is loaded, and before it is used. */
import './no-telemetry.js';
import { Tensor } from 'onnxruntime-node';

/*
 * Where JavaScript has a Float16Array (Node 24), onnxruntime-common hands tensors of half precision to the native part as
 * one, which takes it for empty (microsoft/onnxruntime#32323). It decides so when the first tensor is made; this is it.
 */
const half = Object.getOwnPropertyDescriptor(globalThis, 'Float16Array');
if (half) {
  Reflect.deleteProperty(globalThis, 'Float16Array');
  new Tensor('uint8', new Uint8Array(1), [1]);
  Object.defineProperty(globalThis, 'Float16Array', half);
}

export { env, InferenceSession } from 'onnxruntime-node';
export { Tensor };
