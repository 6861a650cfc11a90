/** Linear algebra: matrices, backends, random numbers. */
export type { Backend, Device, DeviceProgram, GemmOptions, GemvOptions, KernelValue, SyrkOptions } from './backend.js';
export { type BackendOptions, createBackend, deviceChoices } from './create.js';
export { type ArrayOf, type Dtype, Matrix, type RealArray, type Vector } from './matrix.js';
export { createNativeBackend, findLibrary, type NativeOptions } from './native/index.js';
export { Random } from './random.js';
export { createWasmBackend, type WasmBackendOptions, wasmFeatures } from './wasm/index.js';
