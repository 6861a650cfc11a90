export { enlarge } from './enlarge';
export { colours } from './jpeg-colours';
export { decodeScan } from './jpeg-scan';
