/** What a set of labelled pictures, and what answers about pictures can be written as. */
export const dataFormats = ['folder', 'csv', 'coco', 'webdataset', 'parquet', 'fiftyone', 'label-studio'] as const;
export type DataFormat = (typeof dataFormats)[number];

export const answerFormats = ['csv', 'jsonl', 'label-studio'] as const;
export type AnswerFormat = (typeof answerFormats)[number];
