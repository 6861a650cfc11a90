/** What a classifier can be exported as. */
export const exportFormats = ['onnx', 'onnx-pixels', 'safetensors', 'problem', 'xlsa17'] as const;
export type ExportFormat = (typeof exportFormats)[number];
