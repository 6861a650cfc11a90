/** The single-file HTML report. */
export { listedPictures, type PictureProvider, type ReportPicture } from './pictures.js';
export { type ReportOptions, renderReport, writeReport } from './report.js';
