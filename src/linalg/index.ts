/** Linear algebra: matrices, backends, random numbers. */
export type {
  Backend,
  Begun,
  Device,
  DeviceProgram,
  GemmOptions,
  GemvOptions,
  KernelValue,
  PeakScores,
  RowLeaders,
  RowPeaks,
  SparseMatrix,
  SyrkOptions,
} from './backend.js';
export { type BackendOptions, createBackend, deviceChoices } from './create.js';
export { createCudaBackend, findGpu } from './cuda/index.js';
export { type ArrayOf, asRow, type Dtype, elementsOf, Matrix, type RealArray, type Vector } from './matrix.js';
export { createNativeBackend, findLibrary, type NativeOptions } from './native/index.js';
export { largestOf, unitRowsHere } from './plain-loops.js';
export { Random } from './random.js';
export { type RowBlocks, runsOf, visitRows } from './row-blocks.js';
export { poweredRows } from './rows/powered.js';
export { gemmGigaflops } from './speed.js';
export { chooseKernel } from './wasm/choice.js';
export { createWasmBackend, type WasmBackendOptions, wasmFeatures } from './wasm/index.js';
