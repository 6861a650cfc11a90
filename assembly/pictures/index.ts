export { enlarge } from './enlarge';
export { colours, decodeScan } from './jpeg';
