/** The published formats of other tools, as far as image classification uses them, as JSON schemas. */

const positive = { type: 'integer', minimum: 1 };

/** https://cocodataset.org/#format-data: object detection. */
export const coco = {
  type: 'object',
  required: ['info', 'licenses', 'images', 'annotations', 'categories'],
  properties: {
    images: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'width', 'height', 'file_name', 'license'],
        properties: {
          id: positive,
          width: positive,
          height: positive,
          file_name: { type: 'string' },
          license: positive,
        },
      },
    },
    annotations: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'image_id', 'category_id', 'segmentation', 'area', 'bbox', 'iscrowd'],
        properties: {
          id: positive,
          image_id: positive,
          category_id: positive,
          segmentation: { type: 'array' },
          area: { type: 'number' },
          bbox: { type: 'array', items: { type: 'number' }, minItems: 4, maxItems: 4 },
          iscrowd: { enum: [0, 1] },
        },
      },
    },
    categories: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'name', 'supercategory'],
        properties: { id: positive, name: { type: 'string' }, supercategory: { type: 'string' } },
      },
    },
    licenses: {
      type: 'array',
      items: {
        type: 'object',
        required: ['id', 'name', 'url'],
        properties: { id: positive, name: { type: 'string' }, url: { type: 'string' } },
      },
    },
  },
};

/** FiftyOneImageClassificationDataset: a target is a number of `classes`, with confidence in an object, or null. */
export const fiftyOne = {
  type: 'object',
  required: ['classes', 'labels'],
  properties: {
    classes: { type: 'array', items: { type: 'string' } },
    labels: {
      type: 'object',
      additionalProperties: {
        type: ['object', 'null'],
        required: ['label'],
        properties: { label: { type: 'integer', minimum: 0 }, confidence: { type: 'number' } },
        additionalProperties: false,
      },
    },
  },
  additionalProperties: false,
};

/** https://labelstud.io/guide/task_format: tasks with predictions of the tag Choices. */
export const labelStudio = {
  type: 'array',
  items: {
    type: 'object',
    required: ['data'],
    properties: {
      data: { type: 'object', required: ['image'], properties: { image: { type: 'string' } } },
      predictions: {
        type: 'array',
        items: {
          type: 'object',
          required: ['result'],
          properties: {
            model_version: { type: 'string' },
            score: { type: 'number' },
            result: {
              type: 'array',
              items: {
                type: 'object',
                required: ['from_name', 'to_name', 'type', 'value'],
                properties: {
                  type: { const: 'choices' },
                  value: {
                    type: 'object',
                    required: ['choices'],
                    properties: { choices: { type: 'array', items: { type: 'string' }, minItems: 1 } },
                  },
                },
              },
            },
          },
        },
      },
    },
  },
};
