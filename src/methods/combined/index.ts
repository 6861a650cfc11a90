/** Combinations of methods, and the methods made for the generalized setting. */
import type { MethodSpec } from '../spec.js';
import { chaoSpec } from './chao.js';
import { wsdgPiLrSpec } from './wsdg-pi-lr.js';
import { wsdgPiZslSpec } from './wsdg-pi-zsl.js';
import { wslLrSpec } from './wsl-lr.js';
import { wslZslSpec } from './wsl-zsl.js';

export const combinedMethods: readonly MethodSpec[] = [wslZslSpec, wsdgPiZslSpec, wslLrSpec, wsdgPiLrSpec, chaoSpec];
