export { enlarge } from './enlarge';
export { prepareCodes } from './jpeg-codes';
export { colours } from './jpeg-colours';
export { decodeScan } from './jpeg-scan';
export { prepareSkips } from './jpeg-skips';
