/**
 * Models known by name. The first two need only the npm registry; the others are fetched from where their authors put
 * them. Hashes are those the publishers state: the npm registry, the manifest of the ONNX model zoo, the large-file
 * records of the hub.
 */
import type { ModelEntry } from './model-entry.js';
import { presets } from './preprocessing.js';

const zoo = 'https://github.com/onnx/models/raw/main/validated/vision/classification';
const clip = 'https://huggingface.co/Xenova/clip-vit-base-patch32/resolve/d15189d7028b43f1d3e65039190477f6af591c2a';
const dino = 'https://huggingface.co/Xenova/dinov2-small/resolve/c2bb04a51fab207c420665f1946016107bffc701';

export const builtinModels: readonly ModelEntry[] = [
  {
    name: 'mobilenet-v2-0.35',
    kind: 'image',
    description: 'MobileNet v2, width 0.35, ImageNet weights: small and quick (Sandler et al. 2018)',
    source: {
      type: 'npm',
      name: 'sos-image-classification',
      version: '1.0.16',
      integrity: 'sha512-iJZZuYr8RNh/cq1OC7YHkNm+xmDiYv4SLn5Dmpe8PA9l/6P8hINFjLbqra84Sj4MwbRxMdfzwXJkoFnBzrNe0g==',
      bytes: 2010391,
      topology: 'package/src/model/model.json',
    },
    licence: 'MIT',
    layer: 'global_average_pooling2d_GlobalAveragePooling2D1',
    reduction: 'flatten',
    dimension: 1280,
    preprocessing: presets.tensorflow,
  },
  {
    name: 'resnet50',
    kind: 'image',
    description: 'ResNet-50 of Keras, ImageNet weights (He et al. 2016)',
    source: {
      type: 'npm',
      name: 'idai-shapes-ceramics_resnet50',
      version: '1.0.1',
      integrity: 'sha512-qJbRCX3Ds+Bprlq2ur5lDYpQyWyX4fOdXYNRvB2QrUllem6AAds+wnbmP02scS4KY6kQKbkW8iIWu05DKTPY0A==',
      bytes: 87509316,
      topology: 'package/model/model.json',
    },
    licence: 'ISC',
    layer: 'avg_pool',
    reduction: 'flatten',
    dimension: 2048,
    preprocessing: presets.caffe,
  },
  {
    name: 'vgg16',
    kind: 'image',
    description: 'VGG-16, layer fc6, as in the paper (Simonyan and Zisserman 2015)',
    source: {
      type: 'url',
      url: `${zoo}/vgg/model/vgg16-7.onnx`,
      sha256: 'f20805a3ecccaa88647bbab4ad011ff2412a9838485ea844de0fcbce349820b9',
      bytes: 553437328,
    },
    licence: 'Apache-2.0',
    layer: 'vgg0_dense0_relu_fwd',
    reduction: 'flatten',
    dimension: 4096,
    preprocessing: presets.imagenet,
  },
  {
    name: 'resnet50-zoo',
    kind: 'image',
    description: 'ResNet-50 v1 of the ONNX model zoo, ImageNet weights (He et al. 2016)',
    source: {
      type: 'url',
      url: `${zoo}/resnet/model/resnet50-v1-7.onnx`,
      sha256: 'af16a04a6ec48ac494065d4439fe9dea590d337b9ca6dc328160ccf04a217b9c',
      bytes: 102583340,
    },
    licence: 'Apache-2.0',
    layer: 'resnetv17_pool1_fwd',
    reduction: 'flatten',
    dimension: 2048,
    preprocessing: presets.imagenet,
  },
  {
    name: 'clip-vit-b32',
    kind: 'image',
    description: 'CLIP ViT-B/32, image tower (Radford et al. 2021)',
    source: {
      type: 'url',
      url: `${clip}/onnx/vision_model.onnx`,
      sha256: 'fd6e1402a588279d1723c7534d4bcba5bc0b14b47dfab0e46f8c47b8270d7d40',
      bytes: 351685709,
    },
    licence: 'MIT',
    layer: 'image_embeds',
    reduction: 'flatten',
    space: 'clip-vit-b32',
    dimension: 512,
    preprocessing: presets.clip,
  },
  {
    name: 'clip-vit-b32-text',
    kind: 'text',
    description: 'CLIP ViT-B/32, text tower: vectors for names (Radford et al. 2021)',
    source: {
      type: 'url',
      url: `${clip}/onnx/text_model.onnx`,
      sha256: '3f6571f5bad13a97c469c1622e1cfc4d9aef78b79fdbfcff804ca357bfada8cc',
      bytes: 254058553,
    },
    licence: 'MIT',
    layer: 'text_embeds',
    reduction: 'flatten',
    space: 'clip-vit-b32',
    dimension: 512,
    tokenizer: {
      type: 'url',
      url: `${clip}/tokenizer.json`,
      sha256: 'f7f3b7af117d467b58374797691a6438d3e6b9e9cef800dfd5dced7f697a90cd',
      bytes: 2224119,
    },
    contextLength: 77,
  },
  {
    name: 'dinov2-small',
    kind: 'image',
    description: 'DINOv2 ViT-S/14, class token (Oquab et al. 2023)',
    source: {
      type: 'url',
      url: `${dino}/onnx/model.onnx`,
      sha256: '83141175ec78b4ff9a2bb58a4c7c264ba0054d1c2e122e5a8114b79a8d4179ea',
      bytes: 88459888,
    },
    licence: 'Apache-2.0',
    layer: 'last_hidden_state',
    reduction: 'first',
    dimension: 384,
    preprocessing: { ...presets.imagenet, kernel: 'cubic' },
  },
];
