/** The engine, after what must be said before it is loaded. */
import './no-telemetry.js';

export { env, InferenceSession, Tensor } from 'onnxruntime-node';
