/** What the operations of one backend share: its memory, its kernels, its threads. */
import type { KernelSet, Kernels } from './kernels.js';
import type { Regions } from './layout.js';
import type { SharedStorage } from './memory.js';
import type { Team } from './team.js';

export interface Machine {
  readonly storage: SharedStorage;
  readonly kernels: KernelSet;
  readonly team: Team;
  readonly regions: Regions;
}

export type ElementBytes = 4 | 8;

export function kernelsFor(machine: Machine, bytes: ElementBytes): Kernels {
  return bytes === 8 ? machine.kernels.float64 : machine.kernels.float32;
}
