/** The part of the WebAssembly interface that is used here: TypeScript declares it for browsers only. */
declare namespace WebAssembly {
  class Memory {
    constructor(descriptor: { initial: number; maximum: number; shared: true });
    /** Of a shared memory really a SharedArrayBuffer. */
    readonly buffer: ArrayBuffer;
    grow(pages: number): number;
  }
  class Module {
    constructor(bytes: Uint8Array<ArrayBuffer>);
    static exports(module: Module): { name: string; kind: string }[];
  }
  class Instance {
    constructor(module: Module, imports: { env: { memory: Memory } });
    readonly exports: Record<string, unknown>;
  }
  function validate(bytes: Uint8Array<ArrayBuffer>): boolean;
}
