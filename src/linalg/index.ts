/** Linear algebra: matrices, backends, random numbers. */
export type { Backend, Device, GemmOptions, GemvOptions, SyrkOptions } from './backend.js';
export { type BackendOptions, createBackend, deviceChoices } from './create.js';
export { type ArrayOf, type Dtype, Matrix, type RealArray } from './matrix.js';
export { createNativeBackend, findLibrary, type NativeOptions } from './native/index.js';
export { Random } from './random.js';
export { createWasmBackend, type WasmBackendOptions, wasmFeatures } from './wasm/index.js';
