/**
 * onnxruntime keeps a number for the machine in the user's cache folder and reports its use to its publisher unless it
 * is told not to before it is loaded. Nothing here leaves the machine unasked, so it is; who sets the variable decides.
 */
process.env.ORT_DISABLE_TELEMETRY ??= '1';
