/** Builds the page of an exported site into dist/field/app: scripts, a style sheet and a service worker, nothing inline. */
import { fileURLToPath } from 'node:url';
import { svelte, vitePreprocess } from '@sveltejs/vite-plugin-svelte';
import { defineConfig } from 'vite';

const path = (file: string) => fileURLToPath(new URL(file, import.meta.url));

export default defineConfig({
  root: path('.'),
  base: './',
  plugins: [svelte({ preprocess: vitePreprocess({ script: true }), configFile: false })],
  worker: { format: 'es', rollupOptions: { output: { entryFileNames: 'app/[name]-[hash].js' } } },
  build: {
    outDir: path('../dist/field/app'),
    emptyOutDir: true,
    assetsDir: 'app',
    target: 'es2022',
    // The policy of the page allows neither inline scripts nor data: addresses.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rollupOptions: {
      input: { index: path('index.html'), 'service-worker': path('src/service-worker.ts') },
      output: {
        // A service worker rules only what lies beside it or below.
        entryFileNames: ({ name }) => (name === 'service-worker' ? '[name].js' : 'app/[name]-[hash].js'),
      },
    },
  },
});
