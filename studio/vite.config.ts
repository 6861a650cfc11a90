/** Builds the studio's page into dist/studio/app: one script, one style sheet, nothing inline. */
import { fileURLToPath } from 'node:url';
import { svelte, vitePreprocess } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

export default defineConfig({
  root: fileURLToPath(new URL('.', import.meta.url)),
  base: './',
  plugins: [svelte({ preprocess: vitePreprocess({ script: true }), configFile: false })],
  build: {
    outDir: fileURLToPath(new URL('../dist/studio/app', import.meta.url)),
    emptyOutDir: true,
    target: 'es2022',
    // The policy of the page allows neither inline scripts nor data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
